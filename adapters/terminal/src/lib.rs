//! The terminal as a surface, and the scripted approver.
