//! The shore where documents go out.
