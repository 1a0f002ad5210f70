Unicode true

# The installer for Windows: the program, its entry in the start menu, and the files and links it opens. `wails build -nsis` writes
# wails_tools.nsh from wails.json beside it and compiles it; what is defined here first, wails_tools.nsh leaves as it is.
# By hand, after that: makensis -DARG_WAILS_AMD64_BINARY=..\..\bin\callboard.exe project.nsi

!define PRODUCT_EXECUTABLE "Callboard.exe"
!define UNINST_KEY_NAME "Callboard"
!include "wails_tools.nsh"

# The file and the link of wails.json. Its own macros call the program without quotes, though there are spaces in its path, and leave a
# key behind.
!define FILE_EXT "callboard"
!define FILE_CLASS "CallboardThread"
!define FILE_NAME "Callboard thread"
!define LINK_SCHEME "callboard"
!define LINK_NAME "Callboard link"

VIProductVersion "${INFO_PRODUCTVERSION}.0"
VIFileVersion "${INFO_PRODUCTVERSION}.0"
VIAddVersionKey "CompanyName" "${INFO_COMPANYNAME}"
VIAddVersionKey "FileDescription" "${INFO_PRODUCTNAME} Installer"
VIAddVersionKey "ProductVersion" "${INFO_PRODUCTVERSION}"
VIAddVersionKey "FileVersion" "${INFO_PRODUCTVERSION}"
VIAddVersionKey "LegalCopyright" "${INFO_COPYRIGHT}"
VIAddVersionKey "ProductName" "${INFO_PRODUCTNAME}"

ManifestDPIAware true

!include "MUI2.nsh"
!define MUI_ICON "..\icon.ico"
!define MUI_UNICON "..\icon.ico"
!define MUI_FINISHPAGE_NOAUTOCLOSE
!define MUI_ABORTWARNING
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "..\..\..\LICENSE"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Name "${INFO_PRODUCTNAME}"
OutFile "..\..\bin\${INFO_PROJECTNAME}-${ARCH}-installer.exe"
InstallDir "$PROGRAMFILES64\${INFO_PRODUCTNAME}"
InstallDirRegKey HKLM "${UNINST_KEY}" "InstallLocation" # an update goes where the program is
ShowInstDetails show

Function .onInit
    !insertmacro wails.checkArchitecture
    SetRegView 64
FunctionEnd

Function un.onInit
    SetRegView 64
FunctionEnd

# Tells the desktop that what opens a file changed.
!macro ASSOCIATIONS_CHANGED
    System::Call "shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)"
!macroend

# The values of a class that is opened by the program.
!macro OPENED_BY_THE_PROGRAM CLASS
    WriteRegStr SHELL_CONTEXT "Software\Classes\${CLASS}\DefaultIcon" "" "$INSTDIR\${PRODUCT_EXECUTABLE},0"
    WriteRegStr SHELL_CONTEXT "Software\Classes\${CLASS}\shell\open" "FriendlyAppName" "${INFO_PRODUCTNAME}"
    WriteRegStr SHELL_CONTEXT "Software\Classes\${CLASS}\shell\open\command" "" '"$INSTDIR\${PRODUCT_EXECUTABLE}" "%1"'
!macroend

Section
    !insertmacro wails.setShellContext
    !insertmacro wails.webview2runtime

    SetOutPath $INSTDIR
    !insertmacro wails.files

    CreateShortcut "$SMPROGRAMS\${INFO_PRODUCTNAME}.lnk" "$INSTDIR\${PRODUCT_EXECUTABLE}"
    CreateShortcut "$DESKTOP\${INFO_PRODUCTNAME}.lnk" "$INSTDIR\${PRODUCT_EXECUTABLE}"

    WriteRegStr SHELL_CONTEXT "Software\Classes\.${FILE_EXT}" "" "${FILE_CLASS}"
    WriteRegStr SHELL_CONTEXT "Software\Classes\.${FILE_EXT}" "Content Type" "application/vnd.callboard.thread"
    WriteRegStr SHELL_CONTEXT "Software\Classes\.${FILE_EXT}\OpenWithProgids" "${FILE_CLASS}" ""
    WriteRegStr SHELL_CONTEXT "Software\Classes\${FILE_CLASS}" "" "${FILE_NAME}"
    !insertmacro OPENED_BY_THE_PROGRAM "${FILE_CLASS}"
    WriteRegStr SHELL_CONTEXT "Software\Classes\${LINK_SCHEME}" "" "URL:${LINK_NAME}"
    WriteRegStr SHELL_CONTEXT "Software\Classes\${LINK_SCHEME}" "URL Protocol" ""
    !insertmacro OPENED_BY_THE_PROGRAM "${LINK_SCHEME}"
    !insertmacro ASSOCIATIONS_CHANGED

    !insertmacro wails.writeUninstaller
    WriteRegStr HKLM "${UNINST_KEY}" "InstallLocation" "$INSTDIR"
SectionEnd

# What the installer put there goes, and nothing else: threads and settings stay, and so does what else is in the folder.
Section "uninstall"
    !insertmacro wails.setShellContext

    Delete "$INSTDIR\${PRODUCT_EXECUTABLE}"
    Delete "$SMPROGRAMS\${INFO_PRODUCTNAME}.lnk"
    Delete "$DESKTOP\${INFO_PRODUCTNAME}.lnk"

    # Another program may have taken the ending since.
    ReadRegStr $R0 SHELL_CONTEXT "Software\Classes\.${FILE_EXT}" ""
    ${If} $R0 == "${FILE_CLASS}"
        DeleteRegValue SHELL_CONTEXT "Software\Classes\.${FILE_EXT}" ""
        DeleteRegValue SHELL_CONTEXT "Software\Classes\.${FILE_EXT}" "Content Type"
    ${EndIf}
    DeleteRegValue SHELL_CONTEXT "Software\Classes\.${FILE_EXT}\OpenWithProgids" "${FILE_CLASS}"
    DeleteRegKey /ifempty SHELL_CONTEXT "Software\Classes\.${FILE_EXT}\OpenWithProgids"
    DeleteRegKey /ifempty SHELL_CONTEXT "Software\Classes\.${FILE_EXT}"
    DeleteRegKey SHELL_CONTEXT "Software\Classes\${FILE_CLASS}"
    DeleteRegKey SHELL_CONTEXT "Software\Classes\${LINK_SCHEME}"
    !insertmacro ASSOCIATIONS_CHANGED

    !insertmacro wails.deleteUninstaller
    RMDir $INSTDIR
SectionEnd
