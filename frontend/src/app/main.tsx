import { createRoot } from 'react-dom/client'
import { App } from '../state/app'
import { httpTransport } from '../transport/http'
import { wailsTransport } from '../transport/wails'
import '../styles/index.css'
import { Window } from './Window'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no #root')
createRoot(root).render(<Window app={new App(wailsTransport(window) ?? httpTransport())} />)
