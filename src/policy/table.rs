//! A table of calls and of what the policy should say of them: a policy's own tests.
//!
//! `[[case]]` holds a supposed call and `expect`, the values of its verdict that matter to the case; `[defaults]` holds
//! fields of every case that does not say otherwise. Mistakes are shown as those of a policy are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Diagnostic, Report, Severity, Span, nearest};
use super::levels::LEVELS;
use super::reader::{Keys, Table};
use super::set::PolicySet;
use super::summary::{Difference, Summary};
use super::suppose::{self, FIELDS};
use super::verdict::Tier;
use crate::id::TenantId;
use crate::time::Timestamp;

/// The most bytes of a table: more is no text that people wrote.
const TABLE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The keys of a table; those of a case are the fields of a call.
const KEYS: &Keys = &[
    ("policy", "the policy that it is about, as a path from the table's folder"),
    ("tenants", "files of tenants, likewise"),
    ("defaults", "fields of every case that does not say otherwise"),
    ("case", "a call, and what the policy should say of it"),
];

/// When calls happen that do not say: a Monday at noon, UTC, so that a table says the same tomorrow.
const USUAL_TIME: Timestamp = Timestamp::from_secs(1_796_040_000);

/// What stands in `expect` for a value that is not there.
const NONE: &str = "none";

/// A table of cases.
#[derive(Debug, Clone)]
pub struct CaseTable {
    /// The policy that it is about, as a path from the table's folder; none where the table does not say.
    pub policy: Option<String>,
    /// Files of tenants, likewise.
    pub tenants: BTreeMap<TenantId, String>,
    cases: Vec<Case>,
    text: String,
    file: String,
}

#[derive(Debug, Clone)]
struct Case {
    name: String,
    span: Span,
    fields: Map<String, Value>,
    /// Where each field stands.
    spans: BTreeMap<String, Span>,
    expect: Map<String, Value>,
}

/// What became of one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseResult {
    /// Its name.
    pub name: String,
    /// The line on which it begins.
    pub line: usize,
    /// What is not as expected: before is what should be, after is what is.
    pub differences: Vec<Difference>,
}

/// A table that cannot be run, and everything that was found in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableErrors {
    /// At least one error, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for TableErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.diagnostics {
            writeln!(f, "{diagnostic}\n")?;
        }
        let errors = self.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
        write!(f, "the table is not run: {errors} error{}", if errors == 1 { "" } else { "s" })
    }
}

impl std::error::Error for TableErrors {}

impl CaseTable {
    /// Reads a table. `file` is what diagnostics call it.
    ///
    /// # Errors
    /// Everything that was found to be wrong.
    pub fn parse(text: &str, file: &str) -> Result<Self, TableErrors> {
        let mut report = Report::new(text, file);
        if text.len() > TABLE_BYTES_MAX {
            report.error(0..0, format!("a table has at most {TABLE_BYTES_MAX} bytes"), "");
            return Err(TableErrors { diagnostics: report.into_found() });
        }
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            report.error(error.span().unwrap_or(0..0), format!("this is not TOML: {}", error.message()), "");
        }
        if report.has_errors() {
            return Err(TableErrors { diagnostics: report.into_found() });
        }
        let read = Self::read(Table::new(document.get_ref(), 0..0), (text, file), &mut report);
        if report.has_errors() { Err(TableErrors { diagnostics: report.into_found() }) } else { Ok(read) }
    }

    fn read(mut table: Table<'_>, (text, file): (&str, &str), report: &mut Report<'_>) -> Self {
        let policy = table.string("policy", report).map(|at| at.value);
        let mut tenants = BTreeMap::new();
        for (name, value) in table.table("tenants", report).iter().flat_map(Table::entries) {
            let Some(path) = super::reader::string(value, name.value, report) else { continue };
            match TenantId::new(name.value) {
                Ok(tenant) => {
                    tenants.insert(tenant, path.value);
                }
                Err(error) => report.error(name.span, error.to_string(), ""),
            }
        }
        let defaults =
            table.table("defaults", report).map(|table| Fields::of(&table, report)).unwrap_or_default();
        let cases = table.tables("case", report);
        let cases = cases.into_iter().filter_map(|case| Case::read(case, &defaults, report)).collect();
        if table.key_span("case").is_none() {
            report.error(0..0, "a table needs a [[case]]", "with `name`, the fields of a call, and `expect`");
        }
        table.finish(&[KEYS], "the table", report);
        Self { policy, tenants, cases, text: text.to_owned(), file: file.to_owned() }
    }

    /// The tenants that cases name, each once.
    #[must_use]
    pub fn named_tenants(&self) -> BTreeSet<TenantId> {
        let named = self.cases.iter().filter_map(|case| case.fields.get("tenant")?.as_str());
        named.filter_map(|name| TenantId::new(name).ok()).collect()
    }

    /// How many cases there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// Asks the policies about every case.
    ///
    /// # Errors
    /// Cases that suppose what cannot be; none of the table counts then.
    pub fn run(&self, policies: &PolicySet) -> Result<Vec<CaseResult>, TableErrors> {
        let mut report = Report::new(&self.text, &self.file);
        let mut results = Vec::new();
        for case in &self.cases {
            match suppose::suppose(&case.fields, policies, USUAL_TIME) {
                Ok(supposed) => {
                    let policy = policies.of(&supposed.tenant);
                    let verdict = policy.judge(&supposed.proposal, &supposed.circumstances);
                    results.push(CaseResult {
                        name: case.name.clone(),
                        line: report.line(&case.span),
                        differences: case.differences(&Summary::of(&verdict)),
                    });
                }
                Err(error) => {
                    let span = case.spans.get(&error.field).unwrap_or(&case.span).clone();
                    let message = format!("case `{}`: `{}`: {}", case.name, error.field, error.message);
                    report.error(span, message, error.help);
                }
            }
        }
        if report.has_errors() { Err(TableErrors { diagnostics: report.into_found() }) } else { Ok(results) }
    }
}

impl Case {
    fn read(table: Table<'_>, defaults: &Fields, report: &mut Report<'_>) -> Option<Self> {
        let mut table = table;
        let span = table.span();
        let name = table.string("name", report);
        let expected = table.table("expect", report);
        for key in ["name", "expect"] {
            if table.key_span(key).is_none() {
                report.error(span.clone(), format!("a case needs `{key}`"), "");
            }
        }
        let own = Fields::of(&table, report);
        let mut expect = Map::new();
        for (key, value) in expected.iter().flat_map(Table::entries) {
            let names = Summary::names();
            if names.contains(&key.value) {
                let expected = json(value.get_ref());
                known_word(key.value, &expected, value.span(), report);
                expect.insert(key.value.to_owned(), expected);
            } else {
                let help = nearest(key.value, names.iter().copied()).map_or_else(
                    || format!("known here: {}", names.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                report.error(key.span, format!("a verdict has no `{}`", key.value), help);
            }
        }
        if expect.is_empty()
            && let Some(expected) = &expected
            && expected.entries().next().is_none()
        {
            report.error(expected.span(), "nothing is expected", "such as expect = { tier = \"approve\" }");
        }
        let mut fields = defaults.fields.clone();
        fields.extend(own.fields);
        let mut spans = defaults.spans.clone();
        spans.extend(own.spans);
        let name = name?;
        Some(Self { name: name.value, span: name.span, fields, spans, expect })
    }

    fn differences(&self, got: &Summary) -> Vec<Difference> {
        let named = Summary::names().into_iter().filter_map(|name| Some((name, self.expect.get(name)?)));
        named
            .filter_map(|(name, expected)| {
                let after = got.get(name).cloned().unwrap_or(Value::Null);
                let absent = after.is_null() || after == Value::Array(Vec::new());
                let is_right =
                    if absent { expected == NONE || *expected == after } else { *expected == after };
                (!is_right).then(|| Difference { what: name.to_owned(), before: expected.clone(), after })
            })
            .collect()
    }
}

/// Fields of a call, with where they stand.
#[derive(Debug, Default)]
struct Fields {
    fields: Map<String, Value>,
    spans: BTreeMap<String, Span>,
}

impl Fields {
    fn of(table: &Table<'_>, report: &mut Report<'_>) -> Self {
        let mut read = Self::default();
        for (key, value) in table.entries().filter(|(key, _)| !["name", "expect"].contains(&key.value)) {
            if !FIELDS.iter().any(|(known, _)| *known == key.value) {
                let known = FIELDS.iter().map(|(known, _)| *known).chain(["name", "expect"]);
                let near = nearest(key.value, known);
                let help = near.map_or_else(String::new, |near| format!("did you mean `{near}`?"));
                report.error(key.span, format!("a call has no field `{}`", key.value), help);
                continue;
            }
            read.fields.insert(key.value.to_owned(), json(value.get_ref()));
            read.spans.insert(key.value.to_owned(), value.span());
        }
        read
    }
}

/// Notes a word that no verdict has: such a case could never be as expected.
fn known_word(key: &str, expected: &Value, span: Span, report: &mut Report<'_>) {
    let words: Vec<String> = match key {
        "tier" => {
            [Tier::Auto, Tier::Suggest, Tier::Approve, Tier::Forbid].map(|tier| tier.to_string()).into()
        }
        "level" => LEVELS.map(|(word, _)| word.to_owned()).into(),
        _ => return,
    };
    let Value::String(written) = expected else {
        report.error(span, format!("`{key}` is a word"), format!("one of {}", words.join(", ")));
        return;
    };
    if !words.contains(written) {
        let help = nearest(written, words.iter().map(String::as_str))
            .map_or_else(|| format!("one of {}", words.join(", ")), |near| format!("did you mean `{near}`?"));
        report.error(span, format!("there is no {key} `{written}`"), help);
    }
}

/// A value of TOML as JSON; a date as its text.
fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.clone().into_owned()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::String(number.as_str().to_owned()), Value::from),
        DeValue::Float(number) => number
            .as_str()
            .parse::<f64>()
            .map_or_else(|_| Value::String(number.as_str().to_owned()), Value::from),
        DeValue::Boolean(yes) => Value::Bool(*yes),
        DeValue::Datetime(at) => Value::String(at.to_string()),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(fields) => Value::Object(
            fields
                .iter()
                .map(|(key, value)| (key.get_ref().clone().into_owned(), json(value.get_ref())))
                .collect(),
        ),
    }
}
