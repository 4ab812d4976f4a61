export { highlightChanges as start } from '../documents/changes.ts'
