// Requirements of uploads (docs/contract/files.md#uploads), by the ids that tests cite.
export const uploadsRequirements = {
  'uploads.record': 'An uploaded file is stored and described by the record in the contract.',
  'uploads.list':
    'The list has every file with extension and modified; the count excludes Markdown made from documents.',
  'uploads.delete': 'Deleting removes the file and its Markdown; an absent file is 404.',
  'uploads.empty': 'A file of 0 bytes is accepted.',
  'uploads.foreign': "Another user's thread is treated as absent.",
  'uploads.thread-removed': 'Uploads are deleted with their thread.',
  'uploads.names':
    'Names are base names in NFC, at most 255 bytes, without control characters (hostile.S03).',
  'uploads.traversal': 'No name leaves the folder of uploads (hostile.S01).',
  'uploads.duplicates': 'A name that exists gets " (1)"; nothing is overwritten (hostile.S05).',
  'uploads.limits':
    'Too many or too large files are 413, and nothing of the request is stored (hostile.S06).',
  'uploads.limits.told': 'A client can read the limits of an upload before it sends one.',
  'uploads.endless':
    'A client that sends too much gets 413 while it still sends, and its connection is closed (hostile.S06).',
  'uploads.quota': 'A thread or person beyond the quota, or a full disk, accepts no further files.',
  'uploads.type': 'A body that is not a multipart form is 415 (hostile.S10).',
  'uploads.broken': 'A form that is cut off or has no files is 400, and nothing is stored.',
  'uploads.told': 'The prompt lists every upload with the message that it came with: path, size, Markdown.',
  'uploads.told.wordless':
    'Files may be sent without text: the model is told so, and the thread is named after them.',
  'uploads.told.many':
    'For a thread with more than 500 uploads, the prompt lists the attached files, the number of others, and how to see them.',
  'uploads.told.changes':
    'The prompt lists what was removed, changed or attached again, and repeats nothing else.',
  'uploads.told.quiet':
    "This information is in prompts only: the person's messages stay as they were written.",
  'uploads.told.stable': 'Older messages of a prompt stay as they were sent, whatever is uploaded later.',
  'uploads.told.summary': 'A summary lists the uploads of the messages that it replaces.',
  'uploads.markdown':
    'A document (pdf, docx, xlsx, pptx, doc, xls, ppt) has its Markdown beside it, named in the markdown_ fields.',
  'uploads.markdown.numbers':
    'Numbers of a workbook have all their digits and whatever their format adds to the meaning.',
  'uploads.markdown.merged':
    'A cell that spans several rows is repeated in each of them, and rows keep their columns.',
  'uploads.markdown.pictures': 'Pictures are marked at their place, with their description.',
  'uploads.markdown.structure': 'The Markdown keeps headings, lists, tables, links, sheets and slides.',
  'uploads.markdown.formulas':
    'Formulas of Word documents and presentations become LaTeX between dollar signs.',
  'uploads.markdown.charts': 'Charts of Word documents and presentations become tables of their values.',
  'uploads.markdown.diagrams': 'Diagrams and footers of presentations are included, each footer once.',
  'uploads.markdown.names':
    'The Markdown gets a free name; a.pdf and a.docx have one each, in the order of the request (hostile.S05).',
  'uploads.markdown.old':
    'Old formats (doc, xls, ppt) are read by LibreOffice, or by built-in code without it.',
  'uploads.markdown.doc':
    'Without LibreOffice, the Markdown of a .doc has its headings, lists, tables, links and notes, and all words.',
  'uploads.markdown.ppt':
    'Without LibreOffice, the Markdown of a .ppt has its slides in order, with titles, lists, tables, links, notes and footers.',
  'uploads.markdown.xls':
    'Without LibreOffice, the Markdown of a .xls of Excel 5 or later has all sheets, dates as dates, and the results of formulas.',
  'uploads.markdown.unboxed':
    'Without a sandbox no native code reads a document: a script converts PDFs to Markdown, with less structure.',
  'uploads.markdown.noise': 'Bytes that are not a workbook are refused, not read as a sheet.',
  'uploads.markdown.tolerant': 'Errors that office programs tolerate do not prevent the conversion.',
  'uploads.markdown.limits':
    'A conversion has limits of time, memory and size; however it ends, the service keeps running (hostile.S08).',
  'uploads.markdown.waiting':
    'The response waits for the Markdown for a while; the list shows the progress and the result.',
  'uploads.markdown.removed': 'A conversion ends when its document is deleted, and leaves nothing behind.',
  'uploads.markdown.failure':
    'A document that is damaged, encrypted, misnamed or too large stays, with a conversion_error (hostile.S08, S13).',
} as const;
