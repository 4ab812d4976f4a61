/** Browsers offer passkeys on https and localhost only, and not at an IP address. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && !/^[\d.]+$|:/.test(location.hostname)
