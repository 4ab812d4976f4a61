export type DescribedHeaders = Readonly<Record<string, string>>

export const readConditions: DescribedHeaders = {
  'If-None-Match': 'The ETag of what you have: while it is the present one, the answer is 304 without a body',
}

/** `docs/interface.md#writing-a-file` */
export const writeConditions: DescribedHeaders = {
  'If-Match': 'The revision that you have read, in quotes, or * where there has to be one; else 409',
  'If-None-Match': '* to create only: 409 where there is one',
}

export const deleteConditions: DescribedHeaders = {
  'If-Match': 'The revision that you have read, in quotes; 409 where there is another',
}

export const rangeConditions: DescribedHeaders = {
  ...readConditions,
  Range: 'The part that is wanted, such as bytes=1000-',
  'If-Range': 'The ETag or Last-Modified of the part that you have: of another file the whole is sent',
}

export const sentOnce: DescribedHeaders = {
  'Idempotency-Key': 'Up to 128 characters: a repetition with the same answers what the first was answered',
}

export const sentWith: DescribedHeaders = {
  'X-Service-Client': 'The program that sends, as 1 to 64 of a-z 0-9 . _ -',
}

export const eTag: DescribedHeaders = { ETag: 'The revision, in quotes' }
export const revision: DescribedHeaders = { 'X-Service-Revision': 'The revision, for expectedRevision' }
export const pageUrl: DescribedHeaders = { 'X-Service-Url': 'The page for people' }

export const revisionHeaders: DescribedHeaders = { ...eTag, ...revision, ...pageUrl }

export const fileHeaders: DescribedHeaders = {
  ETag: 'What the file holds, as a tag',
  'Last-Modified': 'When it last changed',
  'Content-Disposition': 'What the file is called',
  'Accept-Ranges': 'bytes: parts of the file can be asked for',
}
