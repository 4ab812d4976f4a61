export { isSource, programFile } from '../data/program.ts'
