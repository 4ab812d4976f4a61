/** Browsers offer passkeys only in secure contexts, and not at IP addresses. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && !/^[\d.]+$|:/.test(location.hostname)
