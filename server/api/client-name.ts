const slug = /^[a-z0-9._-]{1,64}$/

export const normalizeClientName = (name: string | string[] | undefined): string | undefined =>
  typeof name === 'string' && slug.test(name) ? name : undefined
