/** Reads, runs and reports scenario files. */

export { ABSENT } from './expect/match.ts'
export { jsonSchema, STARTER } from './json-schema.ts'
export { simulatorOnlyParts as whatNeedsASimulator } from './load/check-scenario.ts'
export { loadScenario, Positions, readScenario } from './load/load.ts'
export { ScenarioError, type SourcePosition } from './load/problems.ts'
export { folderOf, readBelow } from './load/scenario-files.ts'
export { failureLines, type Paint, PLAIN } from './report/failure.ts'
export { annotations, json, junit, story, summary, tap, testSuites, warningsOf } from './report/formats.ts'
export { isShared, SharedApplication } from './run/open-application.ts'
export type { ApplicationReport, Patience } from './run/played-application.ts'
export {
  nameAmongAll,
  type Play,
  type PlaySettings,
  playRepeatedly,
  runAll,
  runNames,
} from './run/run-all.ts'
export { refused, runScenario, type ScenarioResult } from './run/run-scenario.ts'
export type { StepRecord } from './run/step-result.ts'
export {
  type OpenTarget,
  openGatewayTarget,
  openSimulatorTarget,
  type SimulatorTarget,
  type Target,
} from './run/target.ts'
export type { Scenario, ScenarioData } from './schema/file.ts'
