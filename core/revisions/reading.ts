/** A file as a plain GET answers it. */
export interface Reading {
  body: Buffer
  revision: string
  /** The page where a person reads the same. */
  url: string
  /** False once comments, pin, attachments or names have changed since the revision was written: no 304 then. */
  isEnvelopeAsWritten: boolean
}
