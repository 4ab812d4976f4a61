/** `total` grows while folders are compared. */
export interface IngestProgress {
  done: number
  total: number
}
