declare module 'process-on-spawn' {
  interface Spawned {
    env: Record<string, string>
  }
  const processOnSpawn: { addListener(listener: (spawned: Spawned) => void): void }
  export default processOnSpawn
}
