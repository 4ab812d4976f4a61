import processOnSpawn from 'process-on-spawn'

/**
 * Loaded by tap before each test file. tap has every Node process that a test starts load a part of tap, which records what
 * that runs and takes part in how it ends. Here they start as they do where Workroom is installed.
 */
processOnSpawn.addListener((spawned) => {
  const { NODE_OPTIONS: options, ...environment } = spawned.env
  const own = options?.replace(/(?:^| )"?--import=\S*@tapjs\/processinfo\S*/, '').trim()
  spawned.env = own ? { ...environment, NODE_OPTIONS: own } : environment
})
