// Who may import whom in src/. `npm run check:structure` holds every import against this, type-only ones too;
// test/structure/arrows.test.ts proves that each rule can fail.

/** The folders of src/, and what each one may import of ours beside itself. A folder missing here has no rule. */
const MAY_IMPORT = {
  contract: [],
  files: [],
  web: ['contract/'],
  domain: ['contract/'],
  engine: ['domain/', 'contract/', 'files/', 'package-files.ts'],
  // A history as a scenario is pure, and the dashboard and other programs ask the server for it.
  server: ['engine/', 'domain/', 'contract/', 'files/', 'package-files.ts', 'scenario/from/'],
  client: ['contract/', 'files/'],
  library: ['simulator.ts', 'client/', 'contract/'],
  application: ['contract/'],
  // A scenario's rules, faults and catalogue are the domain's own words.
  scenario: ['application/', 'library/', 'client/', 'domain/', 'contract/', 'files/', 'package-files.ts'],
  explore: ['scenario/', 'application/', 'contract/'],
}

/** Where engine and server meet: what composes `serve`, `exec`, `run` and the library. */
const COMPOSITION = ['simulator.ts']

const oneOf = paths => paths.map(path => path.replaceAll('.', '\\.')).join('|')

const layers = Object.entries(MAY_IMPORT).map(([folder, others]) => ({
  name: `${folder}-imports`,
  comment: `of ours, ${folder}/ imports ${others.length > 0 ? `only ${others.join(', ')}` : 'nothing'}`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${oneOf([`${folder}/`, ...others])})` },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'server-only-composed',
      comment: `engine and server meet only in ${COMPOSITION.join(', ')}; what others need of the server, types too, comes from there`,
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${oneOf(['server/', ...COMPOSITION])})` },
      to: { path: '^src/server/' },
    },
    {
      name: 'cli-is-the-end',
      comment: 'nothing imports cli/: it is where the arrows start',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'domain/ is pure: no Node module, and no package but these two',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: '^src/|^node_modules/(sorted-btree|@sinclair/typebox)/' },
    },
    {
      name: 'no-cycles',
      comment: 'two files that need each other are one file, or a third one that both import',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'lists-what-it-imports',
      comment: 'src/ imports what package.json lists; the build bundles it',
      severity: 'error',
      from: { path: '^src/' },
      // Node's types are named for whoever compiles against ours; Node itself is there.
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        pathNot: '^(node$|node_modules/@types/node/)',
      },
    },
    {
      name: 'stays-inside',
      comment: 'src/ imports what package.json lists, and nothing from test/ or dist/',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['local'], pathNot: '^src/' },
    },
  ],
  options: {
    // An import of a type is an arrow as well: it is gone from the bundle, but not from the reader's way.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
}
