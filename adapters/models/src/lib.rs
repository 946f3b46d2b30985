//! Models that agents think with; here the scripted one.
