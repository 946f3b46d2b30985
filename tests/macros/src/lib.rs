//! `#[conversation]`: a test that reads as a conversation, run on every store there is.

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{ItemFn, parse_macro_input};

/// The stores that every conversation runs on.
const STORES: [(&str, &str); 1] = [("sqlite", "Sqlite")];

/// Makes one test per store of an `async fn(desk: &mut Desk) -> Result<()>`. The desk is closed afterwards, which
/// fails on what the conversation left unread, undelivered, or untold by the record.
#[proc_macro_attribute]
pub fn conversation(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    let name = &function.sig.ident;
    let docs: Vec<_> = function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect();
    let tests = STORES.iter().map(|(store, variant)| {
        let test = format_ident!("{name}_on_{store}");
        let variant = format_ident!("{variant}");
        quote! {
            #(#docs)*
            #[test]
            fn #test() -> anyhow::Result<()> {
                ::placet_tests::converse(::placet_tests::Engine::#variant, async |desk| #name(desk).await)
            }
        }
    });
    quote! { #function #(#tests)* }.into()
}
