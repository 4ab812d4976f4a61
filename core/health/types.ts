export interface Problem {
  problem: string
  mend: string
}
