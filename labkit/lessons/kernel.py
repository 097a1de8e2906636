"""The kernels that labkit itself starts (make record, labkit check): this very Python, and nobody can listen in.

ipykernel warns on the terminal of every kernel that talks in plain text, and rightly: another user of the machine could read along. With
a key for each kernel there is nothing to warn of. `labkit open` asks JupyterLab for the same (jupyter.py).
"""

from __future__ import annotations

import sys

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager


def can_encrypt(manager_class: type) -> bool:
    """Whether kernels can be given keys here: by this jupyter_client (8.10 or later) and this ZeroMQ (the usual wheels can)."""
    import zmq

    return "transport_encryption" in manager_class.class_trait_names() and zmq.has("curve")


class ThisPython(KernelSpecManager):
    """One kernel: the interpreter that runs us, whatever kernels the machine knows."""

    def get_kernel_spec(self, kernel_name):
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        about = {"supported_encryption": ["curve"]}
        return KernelSpec(argv=command, display_name="Python 3", language="python", name=kernel_name, metadata=about)


def manager(manager_class: type, **more):
    """A KernelManager or AsyncKernelManager for this Python; `more` goes to it."""
    if can_encrypt(manager_class):
        more["transport_encryption"] = "auto"
    return manager_class(kernel_name="python3", kernel_spec_manager=ThisPython(), **more)
