/**
 * A name within a sentence that takes no markup, such as that of an attribute: it does not turn the direction of what
 * stands beside it. In markup, `<bdi>` does that.
 */
export const bidiIsolate = (name: string): string => `\u2068${name.replace(/[\u2066-\u2069]/g, '')}\u2069`
