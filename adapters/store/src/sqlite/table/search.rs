//! A SELECT put together from terms.

use rusqlite::types::Value;

/// The statement so far, and its values.
pub(crate) struct Search {
    sql: String,
    values: Vec<Value>,
    terms: u32,
}

impl Search {
    /// Everything in a table.
    pub(crate) fn of(select: &'static str) -> Self {
        Self { sql: select.to_owned(), values: Vec::new(), terms: 0 }
    }

    /// What is selected, where that holds values itself: before any term.
    pub(crate) fn select(&mut self, select: String) {
        self.sql = select;
    }

    /// Only rows for which this holds.
    pub(crate) fn term(&mut self, term: &str) {
        self.sql.push_str(if self.terms == 0 { " WHERE " } else { " AND " });
        self.sql.push_str(term);
        self.terms += 1;
    }

    /// Only rows in which this compares with the value.
    pub(crate) fn compare(&mut self, left: &str, value: impl Into<Value>) {
        let place = self.place(value);
        self.term(&format!("{left} {place}"));
    }

    /// Only rows in which the column is this or empty.
    pub(crate) fn this_or_empty(&mut self, column: &str, value: impl Into<Value>) {
        let place = self.place(value);
        self.term(&format!("{column} IN ('', {place})"));
    }

    /// Only rows in which the column has one of these names; all if there are none.
    pub(crate) fn one_of(&mut self, column: &str, names: impl IntoIterator<Item = &'static str>) {
        let places: Vec<String> = names.into_iter().map(|name| self.place(name.to_owned())).collect();
        if !places.is_empty() {
            self.term(&format!("{column} IN ({})", places.join(", ")));
        }
    }

    /// In this order, at most so many: the statement is complete.
    pub(crate) fn order(mut self, by: &str, limit: u32) -> (String, Vec<Value>) {
        let place = self.place(i64::from(limit));
        self.sql.push_str(&format!(" ORDER BY {by} LIMIT {place}"));
        (self.sql, self.values)
    }

    /// A value's place in the statement.
    pub(crate) fn place(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }
}
