/** How much of what happened on the disk while the server was down has been ingested. `total` grows while it is compared. */
export interface IngestProgress {
  done: number
  total: number
}
