import { useContext } from 'react'
import { AppContext } from '../../state/app'
import { download, type SaveFile } from '../../ui/save'

/** How files are saved here: by the desktop's own dialog, or as a browser does. */
export function useSave(): SaveFile {
  return useContext(AppContext)?.transport.host.saveFile ?? download
}
