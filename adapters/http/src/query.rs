//! Query strings: parameters by name, unknown and repeated ones refused.

use std::collections::BTreeMap;
use std::str::FromStr;

use axum::extract::{FromRequestParts, RawQuery};
use axum::http::request::Parts;
use placet::id::TenantId;
use placet::record::Seq;

use crate::limits::{PAGE_DEFAULT, PAGE_MAX};
use crate::parts::App;
use crate::problem::{Code, Problem};

/// The parameters of a request.
#[derive(Debug, Default)]
pub(crate) struct Query(BTreeMap<String, String>);

impl FromRequestParts<App> for Query {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let RawQuery(raw) = RawQuery::from_request_parts(parts, app)
            .await
            .map_err(|_| Problem::new(Code::QueryInvalid, "the query cannot be read"))?;
        let mut parameters = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(raw.unwrap_or_default().as_bytes()) {
            if parameters.insert(name.clone().into_owned(), value.into_owned()).is_some() {
                return Err(Problem::new(Code::QueryInvalid, "a parameter stands there twice; send it once")
                    .at(shown(&name)));
            }
        }
        Ok(Self(parameters))
    }
}

impl Query {
    /// Refuses what is not among the known.
    pub(crate) fn only(self, known: &[&str]) -> Result<Self, Problem> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(self),
            Some(unknown) => {
                let takes = if known.is_empty() {
                    "takes none".to_owned()
                } else {
                    format!("takes {}", known.join(", "))
                };
                let detail = format!("there is no parameter `{}` here; this address {takes}", shown(unknown));
                Err(Problem::new(Code::QueryInvalid, detail).at(shown(unknown)))
            }
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn parsed<T>(&self, name: &str) -> Result<Option<T>, Problem>
    where
        T: FromStr,
        T::Err: std::fmt::Display,
    {
        let parse = |text: &str| {
            text.parse::<T>().map_err(|fault| {
                Problem::new(Code::QueryInvalid, format!("`{name}` is not valid: {fault}")).at(name)
            })
        };
        self.text(name).map(parse).transpose()
    }

    /// How many entries a page has.
    pub(crate) fn limit(&self) -> Result<u32, Problem> {
        match self.parsed::<u32>("limit")? {
            None => Ok(PAGE_DEFAULT),
            Some(limit) if (1..=PAGE_MAX).contains(&limit) => Ok(limit),
            Some(_) => {
                Err(Problem::new(Code::QueryInvalid, format!("`limit` must be from 1 to {PAGE_MAX}"))
                    .at("limit"))
            }
        }
    }

    /// A place in the tenant's record; its beginning where the parameter is left out.
    pub(crate) fn place(&self, name: &str, tenant: &TenantId, app: &App) -> Result<Seq, Problem> {
        self.text(name).map_or(Ok(Seq(0)), |cursor| place(app, tenant, name, cursor))
    }
}

/// Reads a cursor that was given to this tenant.
pub(crate) fn place(app: &App, tenant: &TenantId, name: &str, cursor: &str) -> Result<Seq, Problem> {
    app.settings.cursor_key.open(tenant, cursor).ok_or_else(|| {
        let detail =
            format!("`{name}` is not a cursor that was given to this tenant; leave it out to start over");
        Problem::new(Code::CursorInvalid, detail).at(name)
    })
}

fn shown(name: &str) -> String {
    name.chars().take(60).collect()
}
