import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** Tests that import src/ and start nothing: `npx vitest --project unit` is done in seconds. */
const UNIT = [
  'test/explore/places.test.ts',
  'test/application/**/*.test.ts',
  'test/{domain,engine,model,qr,server,structure}/**/*.test.ts',
  'test/cli/{fields,output}/**/*.test.ts',
  // The OpenAPI document is linted as the built binary prints it.
  'test/contract/!(openapi*).test.ts',
]

/** A test that looks at what was loaded, or loads something else in its place, wants a process to itself. */
const ALONE = ['test/cli/output/lazy.test.ts']

export default defineConfig({
  test: {
    // A black-box test waits for processes, disks and sockets more than it computes, so each core is worth a worker,
    // and one more computes while others wait; vitest would leave one idle, which on two cores is half the machine.
    maxWorkers: availableParallelism() + 1,
    // CommonJS packages are imported as Node itself does it, which is how the code was written.
    deps: { interopDefault: false },
    // Generous, since what passes never waits for them, and a loaded machine must not fail what is right.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 45_000 } },
    // The files share a process for each worker: to begin one for each of them took a quarter of the time.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: UNIT, exclude: [...configDefaults.exclude, ...ALONE] },
      },
      { extends: true, test: { name: 'alone', include: ALONE, isolate: true } },
      {
        extends: true,
        test: {
          name: 'built',
          // Whatever is not known to be a unit test may need the binary.
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...UNIT, ...ALONE],
          globalSetup: ['test/support/build-once.ts'],
        },
      },
    ],
  },
})
