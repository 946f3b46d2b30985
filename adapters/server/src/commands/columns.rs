//! Tables on a terminal: a heading, and columns as wide as what stands in them.

/// A table of these lines under a heading.
pub(super) fn table<const N: usize>(heading: [&str; N], lines: &[[String; N]]) -> String {
    let heading = heading.map(str::to_owned);
    let all = || std::iter::once(&heading).chain(lines);
    let mut widths = [0; N];
    for line in all() {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut table = String::new();
    for line in all() {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        table.push_str(cells.join("  ").trim_end());
        table.push('\n');
    }
    table
}

/// Text of others on one line of a terminal: nothing in it that a terminal would obey.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
