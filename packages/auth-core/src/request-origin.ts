/** Where a request came from; goes into every audit row it causes. */
export interface RequestOrigin {
  readonly address: string | null;
  readonly requestId: string | null;
}
