import { snapshotDatabase } from './snapshot.ts'

/** The entry of a process: `node snapshot-process.js DATABASE TARGET`. */
const [, , database, target] = process.argv
snapshotDatabase(database!, target!)
