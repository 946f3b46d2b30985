//! To which request something is done: the one whose card is answered, or one that is named.
//!
//! A code that is typed without its dash can be a word: `deny secret` may be a no to `SECR-ET`, or a no for the reason
//! `secret`. Which of them it is, only the record tells; until then both stand here, and nothing is done to a request whose card
//! was answered while another is named.

use crate::approval::Approval;
use crate::command::{Commands, Deed, Mistake, Named, Said};
use crate::gate::{Asking, Reader};
use crate::id::{ShortCode, TenantId};
use crate::person::Identity;
use crate::ports::{RequestQuery, StoreError};

/// To which request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The one whose card is answered.
    Card(Named),
    /// One that is named, and no card is answered, or its own is.
    Named(Named),
    /// One that is named if there is such a request, with the words that are left then.
    Perhaps {
        /// Its code.
        code: ShortCode,
        /// What stands behind the code.
        rest: Option<String>,
        /// The one whose card is answered.
        card: Option<(Named, ShortCode)>,
    },
}

/// Which request it is, and what stands behind it.
pub(super) type Found = (Approval, Option<String>);

impl Commands {
    /// The request to which something is to be done, and the words that go with it. By a card it is found for everybody, for
    /// whom it stands there; by a code, for whoever may ask about requests. Whether they may do it is decided when it is done.
    ///
    /// # Errors
    /// What they are told.
    pub async fn request_for(
        &self,
        (tenant, identity): (&TenantId, &Identity),
        deed: Deed,
        target: &Target,
        words: Option<String>,
    ) -> Result<Found, Said> {
        let verb = deed.verb();
        let by_name = async |named: &Named| {
            let shown = named.to_string();
            let reader = self.reader((tenant, identity), Asking::Requests, (verb, &shown)).await?;
            self.named(&reader, named, verb).await
        };
        let (approval, words) = match target {
            Target::Card(named) => (self.on_card(tenant, named).await?, words),
            Target::Named(named) => (by_name(named).await?, words),
            Target::Perhaps { code, rest, card } => {
                if card.is_none() {
                    // Who may know of no request is not told either whether there is one.
                    self.reader((tenant, identity), Asking::Requests, (verb, code.as_str())).await?;
                }
                let is_there = self.is_there(tenant, code).await?;
                match (is_there, card) {
                    (true, Some((_, own))) if own != code => {
                        let another = Mistake::Another { verb, card: own.clone(), named: code.to_string() };
                        return Err(Said::Mistake(another));
                    }
                    (true, Some((named, _))) => (self.on_card(tenant, named).await?, rest.clone()),
                    (true, None) => (by_name(&Named::Code(code.clone())).await?, rest.clone()),
                    (false, Some((named, _))) => (self.on_card(tenant, named).await?, words),
                    (false, None) => {
                        let typed = code.to_string();
                        return Err(Said::Mistake(Mistake::WhichRequest { verb, typed }));
                    }
                }
            }
        };
        if deed.needs_words() && words.is_none() {
            return Err(Said::Mistake(Mistake::Missing(verb)));
        }
        if let Some(words) = words.as_ref().filter(|_| !deed.takes_words()) {
            let typed = words.chars().take(super::parse::REPEATED_CHARS_MAX).collect();
            return Err(Said::Mistake(Mistake::NotTaken { verb, typed }));
        }
        Ok((approval, words))
    }

    /// The request of a card. Only what the surface has on record as its card is one.
    async fn on_card(&self, tenant: &TenantId, named: &Named) -> Result<Approval, Said> {
        let found = match named {
            Named::Id(id) => self.gate.load(tenant, *id).await,
            Named::Code(code) => match self.coded(tenant, code).await {
                Ok(Some(approval)) => Ok(approval),
                Ok(None) => Err(StoreError::NotFound),
                Err(fault) => Err(fault),
            },
        };
        found.map_err(|fault| Self::unread(&fault))
    }

    /// Whether the tenant has, or had, a request of this code.
    async fn is_there(&self, tenant: &TenantId, code: &ShortCode) -> Result<bool, Said> {
        let found = self.coded(tenant, code).await;
        found.map(|found| found.is_some()).map_err(|fault| Self::unread(&fault))
    }

    async fn coded(&self, tenant: &TenantId, code: &ShortCode) -> Result<Option<Approval>, StoreError> {
        let query = RequestQuery {
            tenant: Some(tenant.clone()),
            code: Some(code.clone()),
            limit: 1,
            ..RequestQuery::default()
        };
        Ok(self.gate.store().list(query).await?.into_iter().next())
    }

    /// The request that somebody names, for whoever may know of it.
    pub(super) async fn named(
        &self,
        reader: &Reader,
        named: &Named,
        verb: super::Verb,
    ) -> Result<Approval, Said> {
        let found = match named {
            Named::Code(code) => self.gate.coded(reader, code, verb.name()).await,
            Named::Id(id) => self.gate.identified(reader, *id, verb.name()).await,
        };
        found.map_err(|fault| Self::unread(&fault))
    }
}
