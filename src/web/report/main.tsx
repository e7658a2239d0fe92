import { render } from 'preact'
import type { ExploreReport, RunReport } from '../../contract/reports.ts'
import { ExplorePage } from './explore-page.tsx'
import { RunPage } from './run-page.tsx'

/** The report is in the page itself, which needs neither a server nor a network. */
const report: RunReport | ExploreReport = JSON.parse(document.getElementById('report')?.textContent ?? '')
const root = document.getElementById('app')
if (root) render('explorations' in report ? <ExplorePage {...report} /> : <RunPage {...report} />, root)
