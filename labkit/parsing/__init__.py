"""Reading documents: Markdown, HTML and PDF into blocks with honest positions (lesson 06)."""
