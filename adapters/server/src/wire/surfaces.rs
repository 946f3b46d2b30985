//! Everything that shows cards and vouches for people, put together.

use std::sync::Arc;

use placet::gate::{CredentialDirectory, Directories, PolicyShelf, Trusted};
use placet::id::SurfaceName;
use placet::policy::Place;
use placet::ports::Surface;
use placet_store::SqliteStore;

use super::matrix::{self, MatrixAccount};
use super::slack::{self, SlackWorkspace};
use super::{CREDENTIAL_REALM, Outside};
use crate::settings::{ProxySettings, Settings};

/// Everything that shows cards and vouches for people.
pub(super) struct Surfaces {
    pub(super) shown: Vec<Arc<dyn Surface>>,
    pub(super) directories: Directories,
    pub(super) places: Vec<Place>,
    pub(super) operators: Vec<SurfaceName>,
    pub(super) workspaces: Vec<SlackWorkspace>,
    pub(super) matrix: Option<MatrixAccount>,
}

impl Surfaces {
    pub(super) async fn of(
        settings: &Settings,
        outside: &Outside,
        store: &SqliteStore,
        policy: &Arc<PolicyShelf>,
    ) -> anyhow::Result<Self> {
        let clock = &outside.clock;
        let credentials = CredentialDirectory::new(Arc::clone(clock), Arc::new(store.clone()));
        let directories = Directories::new(Arc::clone(clock)).with(CREDENTIAL_REALM, Arc::new(credentials));
        let mut surfaces = Self {
            shown: Vec::new(),
            directories,
            places: Vec::new(),
            operators: Vec::new(),
            workspaces: Vec::new(),
            matrix: None,
        };
        for local in &outside.surfaces {
            surfaces.shown.push(Arc::clone(&local.surface));
            surfaces.directories =
                surfaces.directories.with(local.realm.clone(), Arc::new(Trusted::new(Arc::clone(clock))));
            surfaces.places.extend(local.channel.clone().map(|channel| Place {
                surface: local.surface.name().clone(),
                channel,
                thread: None,
            }));
        }
        let proxy = settings.outbound.as_ref().map(ProxySettings::address);
        for slack in &settings.slack {
            let workspace = SlackWorkspace::of(slack, proxy.clone(), clock, policy)?;
            surfaces.shown.push(Arc::new(workspace.slack.clone()));
            surfaces.places.push(workspace.place.clone());
            surfaces.operators.extend(workspace.has_operators.then(|| slack.name.clone()));
            surfaces.workspaces.push(workspace);
        }
        surfaces.directories = slack::vouching(surfaces.directories, &surfaces.workspaces);
        surfaces.matrix = MatrixAccount::open(settings, (clock, &*outside.entropy), policy).await?;
        if let Some(account) = &surfaces.matrix {
            surfaces.shown.push(Arc::new(account.matrix.clone()));
            surfaces.places.push(account.place.clone());
            surfaces.operators.extend(account.has_operators.then(|| account.place.surface.clone()));
        }
        surfaces.directories = matrix::vouching(surfaces.directories, surfaces.matrix.as_ref());
        Ok(surfaces)
    }
}
