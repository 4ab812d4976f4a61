import { snapshotDatabase } from './write-snapshot.ts'

/** Entry of a process: `node snapshot-process.js DATABASE TARGET`. */
const [, , database, target] = process.argv
snapshotDatabase(database!, target!)
