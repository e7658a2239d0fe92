import { formatDuration } from '../../contract/durations.ts'
import type {
  ReportedFailure,
  ReportedMismatch,
  ReportedScenario,
  ReportedStep,
  RunReport,
} from '../../contract/reports.ts'
import { Badge, BodyView } from '../dashboard/ui/badge.tsx'
import { Panel, Scrollable, Table } from '../dashboard/ui/panel.tsx'

/** Scenarios that were run, those that failed first and open. */
export function RunPage({ failed, scenarios, results }: RunReport) {
  const worst = [...results].sort((a, b) => Number(a.ok) - Number(b.ok))
  return (
    <main class="page">
      <header class="page-header">
        <div>
          <h1>{failed === 0 ? 'All scenarios passed' : `${failed} of ${scenarios} failed`}</h1>
          <p class="lead">
            <Badge tone={failed === 0 ? 'good' : 'bad'}>{failed === 0 ? 'Passed' : 'Failed'}</Badge>
            <span>
              {scenarios} {scenarios === 1 ? 'scenario' : 'scenarios'}
            </span>
          </p>
        </div>
      </header>
      {worst.map((scenario, nth) => (
        <ScenarioPanel key={nth} scenario={scenario} />
      ))}
    </main>
  )
}

function ScenarioPanel({ scenario }: { scenario: ReportedScenario }) {
  const { file, name, turn, of, ok, problems, warnings, took_ms, clock, passed_ms, steps } = scenario
  const title = turn === undefined ? name : `${name} (${turn} of ${of})`
  const time = clock === 'virtual' && passed_ms > 0 ? `, ${formatDuration(passed_ms)} of account time` : ''
  return (
    <Panel
      title={title}
      aside={
        <>
          <code>{file}</code> {Math.round(took_ms)} ms{time}{' '}
          <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'Passed' : problems ? 'Cannot be run' : 'Failed'}</Badge>
        </>
      }
    >
      {problems && (
        <ul class="problems">
          {problems.map(({ line, column, message }) => (
            <li key={`${line}:${column} ${message}`}>
              Line {line}, column {column}: {message}
            </li>
          ))}
        </ul>
      )}
      {warnings && (
        <ul class="problems">
          {warnings.map(warning => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {steps.length > 0 && (
        <details open={!ok}>
          <summary>
            {steps.length} {steps.length === 1 ? 'step' : 'steps'}
          </summary>
          <Steps steps={steps} isVirtual={clock === 'virtual'} />
        </details>
      )}
    </Panel>
  )
}

const Steps = ({ steps, isVirtual }: { steps: readonly ReportedStep[]; isVirtual: boolean }) => (
  <ol class="steps">
    {steps.map(({ title, depth, ok, since_start_ms, took_ms, failure }, nth) => (
      <li key={nth}>
        <span class="when tabular">
          {isVirtual ? `+${formatDuration(since_start_ms)}` : `${Math.round(took_ms)} ms`}
        </span>
        <Mark ok={ok} />
        <span style={{ paddingLeft: `${depth}em` }}>{title}</span>
        {failure && <FailureView failure={failure} />}
      </li>
    ))}
  </ol>
)

const Mark = ({ ok }: { ok: boolean }) => (
  <span class={`mark ${ok ? 'good' : 'bad'}`} role="img" aria-label={ok ? 'passed' : 'failed'}>
    {ok ? '✓' : '✗'}
  </span>
)

const FailureView = ({ failure: { mismatches, request, answer, history } }: { failure: ReportedFailure }) => (
  <div class="failure">
    <Table
      caption="What differs"
      rows={mismatches}
      keyOf={({ subject }) => subject}
      columns={[
        { title: 'What', cell: mismatch => <Place {...mismatch} /> },
        { title: 'Expected', cell: ({ expected }) => <code>{valueText(expected)}</code> },
        { title: 'Actual', cell: ({ actual }) => <code>{valueText(actual)}</code> },
      ]}
    />
    {request && (
      <p>
        Request{' '}
        <code>
          {request.method} {request.url}
        </code>
      </p>
    )}
    {answer && (
      <div>
        <p>Answer {answer.lost === null ? answer.status : `none: ${answer.lost}`}</p>
        {answer.body !== '' && <BodyView label="Answer" text={answer.body} />}
      </div>
    )}
    {history.length > 0 && (
      <Scrollable kind="text" label="History of the record">
        <pre>{history.join('\n')}</pre>
      </Scrollable>
    )}
  </div>
)

const Place = ({ subject, why, line }: ReportedMismatch) => (
  <>
    {subject} {why} <span class="muted">line {line}</span>
  </>
)

/** A value that is not there at all is written by the report as `{absent: true}`. */
export function valueText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'absent' in value) return '(missing)'
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
