//! An audit as a file, for who asked and for nobody else.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::command::{Answer, Ask, Commands, Filters, Form, Said, Verb};
use crate::gate::{Asking, Export};
use crate::id::TenantId;
use crate::person::Identity;
use crate::ports::audit::AUDIT_PAGE_MAX;

/// The most requests of one export, which is made in memory; of more, the newest.
const EXPORT_ROWS_MAX: usize = 10_000;

/// The most bytes of one export, for the same reason.
const EXPORT_BYTES_MAX: usize = 32 << 20;

/// Who is having an export made.
#[derive(Debug, Default)]
pub(super) struct Exports(Mutex<HashSet<Identity>>);

/// An export that is being made and sent, until this is dropped.
#[derive(Debug)]
pub struct Making(Arc<Exports>, Identity);

impl Exports {
    /// None where one is being made for the same person.
    fn begin(self: &Arc<Self>, identity: &Identity) -> Option<Making> {
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(identity.clone());
        is_new.then(|| Making(Arc::clone(self), identity.clone()))
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

/// A file.
#[derive(Debug)]
pub struct Exported {
    /// What it is called.
    pub name: String,
    /// Whose requests it holds.
    pub tenant: TenantId,
    /// What stands in it.
    pub content: String,
    /// Of how many requests.
    pub count: usize,
    /// Whether there are more.
    pub is_cut: bool,
    /// Until this is dropped, the same person has no other made.
    pub making: Making,
}

impl Commands {
    /// Makes the file; the surface sends it.
    pub(super) async fn export(
        &self,
        who: (&TenantId, &Identity),
        ask: &Ask,
        (filters, form): (&Filters, Form),
    ) -> Result<Answer, Said> {
        let reader = self.reader(who, Asking::Audit, (Verb::Audit, &ask.text)).await?;
        let making = self.exports.begin(who.1).ok_or(Said::ExportUnderWay)?;
        let form = match form {
            Form::Csv => Export::Csv,
            Form::JsonLines => Export::JsonLines,
        };
        let mut wanted = self.looked_for(who.0, filters, (None, AUDIT_PAGE_MAX))?;
        let (mut content, mut count, mut is_cut) = (form.head(), 0, false);
        loop {
            let page = self.gate.audit(&reader, &wanted).await.map_err(|fault| Self::unread(&fault))?;
            for approval in &page.found {
                let view = self.gate.shown_to(&reader, approval);
                let line = form.line(approval, &view, self.gate.sees_all(&reader, approval));
                if count >= EXPORT_ROWS_MAX || content.len() + line.len() > EXPORT_BYTES_MAX {
                    is_cut = true;
                    break;
                }
                content.push_str(&line);
                count += 1;
            }
            match page.next {
                Some(next) if !is_cut => wanted.before = Some(next),
                Some(_) | None => break,
            }
        }
        if count == 0 {
            return Err(Said::NothingFound);
        }
        let (name, tenant) = (form.file_name(reader.tenant()), reader.tenant().clone());
        Ok(Answer::File(Box::new(Exported { name, tenant, content, count, is_cut, making })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R33: one export per person at a time, and as many as they like one after the other.
    #[test]
    fn a_person_has_one_export_at_a_time() {
        let exports = Arc::new(Exports::default());
        let (ana, bo) = (Identity::slack("T1", "U1").unwrap(), Identity::slack("T1", "U2").unwrap());
        let making = exports.begin(&ana);
        assert!(making.is_some() && exports.begin(&ana).is_none() && exports.begin(&bo).is_some());
        drop(making);
        assert!(exports.begin(&ana).is_some());
    }
}
