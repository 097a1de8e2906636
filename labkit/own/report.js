// Tables that sort by their headings, and long ones that can be searched. Without this script they are plain tables, complete and readable.
(() => {
  const said = document.querySelector("[role=status]");
  const words = new Intl.Collator(undefined, { numeric: true });
  const key = (row, place, number) => {
    const cell = row.cells[place];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return number ? (text === "" || text === "–" ? NaN : Number(text)) : text;
  };
  const sort = (table, head, place) => {
    const now = head.getAttribute("aria-sort");
    const order = now === null ? head.dataset.first : now === "ascending" ? "descending" : "ascending";
    const sign = order === "descending" ? -1 : 1;
    const number = head.classList.contains("number");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row, place, number), row]);
    rows.sort(([a], [b]) => {
      if (!number) return sign * words.compare(a, b);
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b); // what has no number comes last, either way
      return sign * (a - b);
    });
    const sorted = document.createDocumentFragment();
    for (const [, row] of rows) sorted.append(row);
    body.append(sorted);
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    said.textContent = `${table.caption.textContent}: sorted by ${head.textContent}, ${order}`;
  };
  const search = (table) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    label.className = "search";
    input.type = "search";
    label.append("Show only rows with ", input);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLocaleLowerCase();
      let left = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !row.textContent.toLocaleLowerCase().includes(wanted);
        left += !row.hidden;
      }
      said.textContent = `${left} of ${table.tBodies[0].rows.length} rows`;
    });
    table.closest(".wide").before(label);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.dataset.first = head.classList.contains("number") && !head.classList.contains("rank") ? "descending" : "ascending";
      button.addEventListener("click", () => sort(table, head, place));
    });
    if (table.tBodies[0].rows.length > 20) search(table);
  }
  // Only what scrolls is a stop of the Tab key.
  const stop = (region) => region.scrollWidth > region.clientWidth ? region.setAttribute("tabindex", "0") : region.removeAttribute("tabindex");
  const sizes = new ResizeObserver((changed) => changed.forEach(({ target }) => stop(target)));
  for (const region of document.querySelectorAll(".wide")) sizes.observe(region);
})();
