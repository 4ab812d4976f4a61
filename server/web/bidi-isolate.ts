/** Isolates the direction of a name in plain text, such as an attribute. In markup, use `<bdi>`. */
export const bidiIsolate = (name: string): string => `\u2068${name.replace(/[\u2066-\u2069]/g, '')}\u2069`
