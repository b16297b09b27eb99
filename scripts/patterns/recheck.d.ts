/** The part of recheck that check-patterns.ts uses. A checkout does not install it. */
declare module 'recheck' {
  type Diagnostics =
    | { readonly status: 'safe' }
    | {
        readonly status: 'vulnerable'
        readonly complexity: { readonly summary: string }
        readonly attack: { readonly pattern: string }
      }
    | { readonly status: 'unknown'; readonly error: { readonly kind: string } }
  /** Takes at most `timeout` ms. */
  export const checkSync: (source: string, flags: string, settings: { readonly timeout: number }) => Diagnostics
}
