//! `#[conversation]`: a test that reads as a conversation, run on every store there is.

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{ItemFn, parse_macro_input};

/// The stores that every conversation runs on.
const STORES: [(&str, &str); 1] = [("sqlite", "Sqlite")];

/// How many sockets a conversation has that runs on sockets too: those of the settings' default.
const SOCKETS: usize = 2;

/// Makes one test per store of an `async fn(desk: &mut Desk) -> Result<()>`. The desk is closed afterwards, which
/// fails on what the conversation left unread, undelivered, or untold by the record. With `#[conversation(sockets)]` there is one
/// more per store, in which what people do in Slack comes on sockets.
#[proc_macro_attribute]
pub fn conversation(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    let on_sockets = match arguments.to_string().as_str() {
        "" => false,
        "sockets" => true,
        other => {
            let wrong = format!("a conversation takes nothing or `sockets`, not `{other}`");
            return syn::Error::new_spanned(&function.sig.ident, wrong).to_compile_error().into();
        }
    };
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
    let more = STORES.iter().filter(|_| on_sockets).map(|(store, variant)| {
        let test = format_ident!("{name}_on_{store}_by_sockets");
        let variant = format_ident!("{variant}");
        quote! {
            #(#docs)*
            #[test]
            fn #test() -> anyhow::Result<()> {
                ::placet_tests::converse(::placet_tests::Engine::#variant, async |desk| {
                    desk.comes_by(::placet_tests::Transport::Sockets(#SOCKETS)).await?;
                    #name(desk).await
                })
            }
        }
    });
    quote! { #function #(#tests)* #(#more)* }.into()
}
