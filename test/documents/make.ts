// `node test/documents/make.ts`: makes the documents of this folder anew, with LibreOffice, as people's office programs do.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { farmDocument, farmSlides, farmWorkbook } from './farm.ts';

const here = import.meta.dirname;
const folder = await mkdtemp(join(tmpdir(), 'documents-'));
const profile = `-env:UserInstallation=file://${folder}/profile`;
const run = promisify(execFile);

async function office(...args: readonly string[]): Promise<void> {
  await run('soffice', ['--headless', '--norestore', profile, ...args]);
}

/** Through the program's own format, so that nothing but the program wrote the result. */
async function saved(source: string, own: string, formats: readonly string[]): Promise<void> {
  await office('--convert-to', own, '--outdir', `${folder}/own`, join(folder, source));
  const [stem] = source.split('.');
  for (const format of formats) {
    await office('--convert-to', format, '--outdir', `${folder}/made`, `${folder}/own/${stem}.${own}`);
    await copyFile(`${folder}/made/${stem}.${format}`, join(here, `${stem}.${format}`));
  }
}

const LOCK = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd">
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">
Sub SaveLocked(source, target, filter)
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  hidden(0).Name = &quot;Hidden&quot;
  hidden(0).Value = True
  Dim pdf(1) As New com.sun.star.beans.PropertyValue
  pdf(0).Name = &quot;EncryptFile&quot;
  pdf(0).Value = True
  pdf(1).Name = &quot;DocumentOpenPassword&quot;
  pdf(1).Value = &quot;secret&quot;
  Dim saving(2) As New com.sun.star.beans.PropertyValue
  saving(0).Name = &quot;FilterName&quot;
  saving(0).Value = filter
  saving(1).Name = &quot;Password&quot;
  saving(1).Value = &quot;secret&quot;
  If InStr(filter, &quot;pdf&quot;) &gt; 0 Then
    saving(1).Name = &quot;FilterData&quot;
    saving(1).Value = pdf()
  End If
  component = StarDesktop.loadComponentFromURL(source, &quot;_blank&quot;, 0, hidden())
  component.storeToURL(target, saving())
  component.close(True)
End Sub
</script:module>
`;
const library = (kind: string, element: string) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE library:library PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "library.dtd">
<library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard" library:readonly="false" library:passwordprotected="false">${element}</library:library>
<!-- ${kind} -->
`;

/** Saved with a password, which only a macro can say. */
async function locked(source: string, target: string, filter: string): Promise<void> {
  const call = `SaveLocked("file://${folder}/own/${source}","file://${here}/${target}","${filter}")`;
  await office(`macro:///Standard.Module1.${call}`);
}

try {
  await writeFile(join(folder, 'farm.docx'), await farmDocument());
  await writeFile(join(folder, 'sheets.xlsx'), await farmWorkbook());
  await writeFile(join(folder, 'slides.pptx'), await farmSlides());
  await saved('farm.docx', 'odt', ['docx', 'doc', 'pdf']);
  await saved('sheets.xlsx', 'ods', ['xlsx', 'xls']);
  await saved('slides.pptx', 'odp', ['pptx', 'ppt']);
  const standard = `${folder}/profile/user/basic/Standard`;
  await mkdir(standard, { recursive: true });
  await writeFile(`${standard}/Module1.xba`, LOCK);
  await writeFile(`${standard}/script.xlb`, library('script', '<library:element library:name="Module1"/>'));
  await writeFile(`${standard}/dialog.xlb`, library('dialog', ''));
  await locked('farm.odt', 'locked.doc', 'MS Word 97');
  await locked('farm.odt', 'locked.pdf', 'writer_pdf_Export');
  await locked('sheets.ods', 'locked.xls', 'MS Excel 97');
} finally {
  await rm(folder, { recursive: true });
}
