export { markRead as start } from '../mark-read.ts'
