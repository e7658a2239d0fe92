import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that import src/ and start nothing: `npx vitest --project unit` is done in seconds. */
const UNIT = [
  'test/explore/{places,observed-state,endpoint-check,run-slots,confirm,judge,narrative,slowness,suite-run}.test.ts',
  'test/application/**/*.test.ts',
  'test/web/**/*.test.ts',
  'test/{domain,model}/**/*.test.ts',
  // What forwards calls is tried with whole simulators, whose standard rules are built.
  'test/server/!(forwarding).test.ts',
  // The suite of all stores, and those of PostgreSQL, start a PostgreSQL of their own.
  'test/engine/!(store).test.ts',
  'test/engine/!(postgres)/**/*.test.ts',
  'test/cli/{fields,output,usage,where}/**/*.test.ts',
  // The OpenAPI document is linted as the built binary prints it.
  'test/contract/!(openapi*).test.ts',
]

/** Tests of the pages in Chromium: `npm run test:browser`. */
const BROWSER = ['test/browser/**/*.test.ts']

/** Tests of stores and clusters on a PostgreSQL of their own: `npm run test:postgres`. */
const POSTGRES = ['test/postgres/**/*.test.ts', 'test/engine/postgres/**/*.test.ts']

/** Tests of how the code is made: `npm run check:structure`. */
const STRUCTURE = ['test/structure/**/*.test.ts']

/** Tests of the packed package, which compile against it and install it: `npm run test:package`. */
const PACKAGE = ['test/package/**/*.test.ts']

/** Tests of the executable files: `npm run test:binary`. */
const EXECUTABLE = ['test/binary/**/*.test.ts']

/**
 * Torture and fuzzer, each in its short form: `npm run test:torture`. They kill, cut, damage and fill what the other tests
 * leave alone, for a minute; `npm run torture` and `npm run fuzz` do so for as long as you like.
 */
const TORTURE = ['test/{torture,fuzz}/**/*.test.ts']

/** The clients that `paysim client` makes, each with the test runner of its language: `npm run test:languages`. */
const LANGUAGES = ['test/languages/**/*.test.ts']

/**
 * Tests with a long form, which PAYSIM_LONG=1 asks for (test/support/long-form.ts): `npm test` runs their short one, and
 * continuous integration both.
 */
const LONG = [
  'test/model/**/*.test.ts',
  'test/postgres/joining.test.ts',
  'test/scenario/{from-history,thousand}.test.ts',
  'test/cli/{probe/probe,verify/verify}.test.ts',
  'test/explore/{examples,explore,running,suite}.test.ts',
  'test/blackbox/gateway/{durability-crash,large-import,memory-limits,private-data}.test.ts',
  'test/blackbox/payments/openapi-generated.test.ts',
]

/** Those of them that take a minute and more in their long form. */
const LONGEST = [
  'test/explore/running.test.ts',
  'test/model/history.test.ts',
  'test/explore/explore.test.ts',
  'test/scenario/thousand.test.ts',
  'test/model/webhooks-over-http.test.ts',
  'test/model/history-on-disk.test.ts',
  'test/cli/probe/probe.test.ts',
  'test/cli/verify/verify.test.ts',
  'test/scenario/from-history.test.ts',
]

/** A test that looks at what was loaded, or loads something else in its place, needs its own process. */
const ALONE = ['test/cli/output/lazy.test.ts', 'test/cli/mcp-texts.test.ts']

/**
 * Tests that CI also runs on PostgreSQL, with three processes: the scenarios that ship, and all black-box tests except those of what only a data directory has, and those that start a server of their own for each test.
 */
const ON_A_DATABASE = ['test/blackbox/**/*.test.ts', 'test/scenario/shipped.test.ts']
const OF_ONE_DIRECTORY = [
  'test/blackbox/gateway/{clock-bounds,control-token,data-directory,data-hidden-from-git}.test.ts',
  'test/blackbox/gateway/{durability-*,front-door,kept-history,large-import,listen-first}.test.ts',
  'test/blackbox/gateway/{many-merchants,memory-limits,merchants-whole,private-data}.test.ts',
  'test/blackbox/gateway/{serve-lines,serve-unread,startup-errors,stop-under-load,store-address}.test.ts',
  'test/blackbox/payments/{contract-file,create-path}.test.ts',
  'test/blackbox/provider/{determinism,rules-glob-cost}.test.ts',
]

/**
 * Tests that need not run again on another Node: what the code does in Chromium, in the completion of shells, in
 * documents, in whole explorations, how processes share a database, what the pure core decides, also where it is asked
 * over HTTP, and what a command prints of an answer. What could differ there are the engine, servers and clients, files,
 * processes and the package.
 */
const OF_EVERY_NODE = [
  // npm and bash do what this is about, and with Node alone it would not have npm's settings.
  'test/package/action.test.ts',
  ...BROWSER,
  ...POSTGRES,
  'test/{contract,docs,domain,explore,model,web}/**/*.test.ts',
  'test/blackbox/rules-meet/**/*.test.ts',
  'test/blackbox/payments/!(answer-headers|authentication|bad-*|create-path|openapi-*|races|receipt-*).test.ts',
  'test/blackbox/provider/{determinism,magic-values,rules-*,time-*}.test.ts',
  'test/cli/{completion,contract-suite,fields,sim,usage}/**/*.test.ts',
  'test/scenario/{from-history,steps,match,shipped}.test.ts',
]

/**
 * These take longest, a quarter of a minute and more, in the order in which they begin. If one of them began last, the
 * other workers would have nothing left to do.
 */
const FIRST = [
  ...(process.env.PAYSIM_LONG ? LONGEST : []),
  'test/browser/dashboard/pages.test.ts',
  'test/blackbox/gateway/durability-crash.test.ts',
  'test/blackbox/gateway/private-data.test.ts',
  'test/postgres/cluster.test.ts',
  'test/explore/examples.test.ts',
  'test/explore/explore.test.ts',
  'test/blackbox/gateway/large-import.test.ts',
  'test/cli/completion/completion.test.ts',
  'test/postgres/clocks.test.ts',
  'test/postgres/outage.test.ts',
  'test/blackbox/gateway/durability-loss.test.ts',
  'test/blackbox/gateway/webhook-retries.test.ts',
  'test/scenario/run-command.test.ts',
  'test/cli/answers/limits.test.ts',
  'test/postgres/nginx.test.ts',
  'test/blackbox/provider/time-wall.test.ts',
  'test/browser/checkout/states.test.ts',
  'test/browser/dashboard/records.test.ts',
  'test/blackbox/gateway/durability-damage.test.ts',
  'test/cli/store.test.ts',
  'test/browser/checkout/journeys.test.ts',
  'test/postgres/leaving.test.ts',
  'test/blackbox/gateway/durability-modes.test.ts',
  'test/cli/webhooks/listen-again.test.ts',
  'test/cli/closed-pipe.test.ts',
  'test/docs/examples.test.ts',
  'test/engine/postgres/spread.test.ts',
  'test/blackbox/gateway/many-merchants.test.ts',
  'test/blackbox/gateway/merchants-whole.test.ts',
  'test/cli/exec-application.test.ts',
  'test/cli/exec-ends.test.ts',
  'test/cli/one-target.test.ts',
]

/** The order of vitest (failed before, slow before, large files), behind those that must begin early. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = FIRST.findIndex(name => moduleId.endsWith(name))
      return place === -1 ? FIRST.length : place
    }
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => placeOf(a) - placeOf(b))
  }
}

export default defineConfig({
  test: {
    // Tests wait for processes, timers and sockets for much of their time: two workers more than there are cores used two
    // cores for two thirds of the time, and vitest would leave one idle. Each worker more loads all modules once more.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: LongFirst },
    // CommonJS packages are imported as Node itself does it, which is how the code was written.
    deps: { interopDefault: false },
    // Generous, so that a busy machine does not fail a correct test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 90_000 } },
    // The files share a process for each worker: to begin one for each of them took a quarter of the time.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: UNIT, exclude: [...configDefaults.exclude, ...ALONE] },
      },
      { extends: true, test: { name: 'structure', include: STRUCTURE } },
      {
        extends: true,
        test: { name: 'browser', include: BROWSER, globalSetup: ['test/support/build-once.ts'] },
      },
      {
        extends: true,
        test: { name: 'postgres', include: POSTGRES, globalSetup: ['test/support/build-once.ts'] },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, isolate: true, globalSetup: ['test/support/build-once.ts'] },
      },
      {
        extends: true,
        test: { name: 'package', include: PACKAGE, globalSetup: ['test/support/build-once.ts'] },
      },
      { extends: true, test: { name: 'binary', include: EXECUTABLE } },
      {
        extends: true,
        test: { name: 'languages', include: LANGUAGES, globalSetup: ['test/support/build-once.ts'] },
      },
      {
        extends: true,
        test: { name: 'torture', include: TORTURE, globalSetup: ['test/support/build-once.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'built',
          // Whatever is not known to be a unit test may need the binary.
          include: ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            ...[UNIT, ALONE, BROWSER, POSTGRES, STRUCTURE, PACKAGE, EXECUTABLE, LANGUAGES, TORTURE].flat(),
          ],
          globalSetup: ['test/support/build-once.ts'],
        },
      },
      // Only if they are asked for: the same files are in the projects before.
      ...(process.env.PAYSIM_ANOTHER_NODE
        ? [
            {
              extends: true as const,
              test: {
                name: 'another-node',
                include: ['test/**/*.test.ts'],
                exclude: [
                  ...configDefaults.exclude,
                  ...[STRUCTURE, ALONE, EXECUTABLE, LANGUAGES, TORTURE, OF_EVERY_NODE].flat(),
                ],
                globalSetup: ['test/support/build-once.ts'],
              },
            },
          ]
        : []),
      ...(process.env.PAYSIM_LONG
        ? [
            {
              extends: true as const,
              test: { name: 'long', include: LONG, globalSetup: ['test/support/build-once.ts'] },
            },
          ]
        : []),
      ...(process.env.PAYSIM_TEST_STORE
        ? [
            {
              extends: true as const,
              test: {
                name: 'database',
                include: ON_A_DATABASE,
                exclude: [...configDefaults.exclude, ...OF_ONE_DIRECTORY],
                globalSetup: ['test/support/build-once.ts'],
              },
            },
          ]
        : []),
    ],
  },
})
