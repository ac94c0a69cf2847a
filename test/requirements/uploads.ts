// What is promised of uploads (docs/contract/files.md#uploads), by the ids that tests cite.
export const uploadsRequirements = {
  'uploads.record': 'An uploaded file is kept and described by the contracted record.',
  'uploads.list':
    'The list has every file with extension and modified, and counts what people handed in, without Markdown that was made of it.',
  'uploads.delete': 'Deleting removes the file and its Markdown; what is not there is 404.',
  'uploads.empty': 'A file of 0 bytes is a file.',
  'uploads.foreign': "Another user's thread is an absent thread.",
  'uploads.thread-removed': 'Uploads go with their thread.',
  'uploads.names':
    'Names are base names in NFC, at most 255 bytes, without control characters (hostile.S03).',
  'uploads.traversal': 'No name leads out of the folder of uploads (hostile.S01).',
  'uploads.duplicates': 'A name that exists gets " (1)"; nothing is overwritten (hostile.S05).',
  'uploads.limits': 'Too many or too large files are 413, and nothing of the request is kept (hostile.S06).',
  'uploads.limits.told': 'A client can read the limits of an upload before it sends one.',
  'uploads.endless':
    'Who sends too much hears 413 while it still sends, and its connection is closed (hostile.S06).',
  'uploads.quota': 'A thread or person whose files take too much, or a full disk, takes nothing more.',
  'uploads.type': 'A body that is no multipart form is 415 (hostile.S10).',
  'uploads.broken': 'A form that breaks off or has no files is 400, and nothing is kept.',
  'uploads.told':
    'The model is told of every upload with the message that it came with: path, size, Markdown.',
  'uploads.told.wordless':
    'Files may come without words: the model is told so, and the thread is named after them.',
  'uploads.told.many':
    'Of a thread with more than 500 uploads the model is told the files that are attached, how many more came, and how to see them.',
  'uploads.told.changes':
    'It is told what was removed, changed or attached again, and of nothing else twice.',
  'uploads.told.quiet': "What is told stands in prompts alone: the person's words stay as they were written.",
  'uploads.told.stable': 'Older messages of a prompt stay as they were sent, whatever is uploaded later.',
  'uploads.told.summary': 'Uploads of messages that gave way to a summary are told again with it.',
  'uploads.markdown':
    'A document (pdf, docx, xlsx, pptx, doc, xls, ppt) has its Markdown beside it, told in the markdown_ fields.',
  'uploads.markdown.numbers':
    'Numbers of a workbook are told with what their format adds to their meaning, and with all their digits.',
  'uploads.markdown.merged': 'A cell over several rows stands in each of them, and rows keep their columns.',
  'uploads.markdown.pictures': 'Pictures are told where they are, with the description that they have.',
  'uploads.markdown.structure': 'Headings, lists, tables, links, sheets and slides are kept in the Markdown.',
  'uploads.markdown.formulas': 'Formulas of Word documents and presentations become LaTeX in dollars.',
  'uploads.markdown.charts': 'Charts of Word documents and presentations become tables of their values.',
  'uploads.markdown.diagrams': 'Diagrams and footers of presentations are told, a footer once.',
  'uploads.markdown.names':
    'The Markdown takes a name that is free; a.pdf and a.docx have one each, in the order of the request (hostile.S05).',
  'uploads.markdown.old':
    'Old formats (doc, xls, ppt) are read by LibreOffice, or by what there is without it.',
  'uploads.markdown.doc':
    'Without LibreOffice, a .doc has its headings, lists, tables, links and notes, and loses no words.',
  'uploads.markdown.ppt':
    'Without LibreOffice, a .ppt has its slides in order, with titles, lists, tables, links, notes and footers.',
  'uploads.markdown.xls':
    'Without LibreOffice, a .xls of Excel 5 or later has all sheets, dates as dates, and what formulas came to.',
  'uploads.markdown.unboxed':
    'Without a box no native code reads a document: PDFs become Markdown through a script, with less structure.',
  'uploads.markdown.noise': 'Bytes that are no workbook are refused, not read as a sheet.',
  'uploads.markdown.tolerant':
    'What office programs overlook in a document does not keep it from being read.',
  'uploads.markdown.limits':
    'A conversion has limits of time, memory and size; whatever ends it, the service goes on (hostile.S08).',
  'uploads.markdown.waiting':
    'The answer waits for the Markdown for a while; the list tells how it goes on, and how it ended.',
  'uploads.markdown.removed': 'A conversion ends when its document goes, and leaves nothing behind.',
  'uploads.markdown.failure':
    'A document that is damaged, encrypted, misnamed or too large stays, with a conversion_error (hostile.S08, S13).',
} as const;
