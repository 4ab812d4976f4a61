import { snapshotDatabase } from './write-snapshot.ts'

const [, , database, target] = process.argv
snapshotDatabase(database!, target!)
