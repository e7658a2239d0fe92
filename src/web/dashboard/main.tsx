import { render } from 'preact'
import { App } from './app.tsx'
import { followLinks } from './state/router.ts'
import { applyTheme } from './state/theme.ts'

applyTheme()
followLinks()
const root = document.getElementById('app')
if (root) render(<App />, root)
