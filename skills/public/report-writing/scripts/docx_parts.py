"""The parts of a .docx package around its text: styles, lists, page, links, properties."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape, quoteattr

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
SCHEMAS = "http://schemas.openxmlformats.org"
WORD = f'xmlns:w="{SCHEMAS}/wordprocessingml/2006/main"'
LINKS = f"{SCHEMAS}/officeDocument/2006/relationships"
WORD_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"
LEVELS = 6
ACCENT = "1F4E79"


@dataclass(frozen=True)
class Page:
    """In twentieths of a point."""

    width: int
    height: int
    margin: int = 1_304

    @property
    def text_width(self) -> int:
        return self.width - 2 * self.margin

    @property
    def text_height(self) -> int:
        return self.height - 2 * self.margin


PAGES = {"a4": Page(11_906, 16_838), "letter": Page(12_240, 15_840)}


@dataclass(frozen=True)
class ItemList:
    """One list: how deep it lies, and the number that it begins with; None for bullets."""

    level: int
    start: int | None


PACKAGE_LINKS = (
    f'{HEAD}<Relationships xmlns="{SCHEMAS}/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{LINKS}/officeDocument" Target="word/document.xml"/>'
    f'<Relationship Id="rId2" Type="{SCHEMAS}/package/2006/relationships/metadata/core-properties" '
    'Target="docProps/core.xml"/></Relationships>'
)

SETTINGS = (
    f'{HEAD}<w:settings {WORD}><w:zoom w:percent="100"/><w:defaultTabStop w:val="708"/>'
    '<w:characterSpacingControl w:val="doNotCompress"/><w:compat><w:compatSetting w:name="compatibilityMode" '
    'w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>'
)

FOOTER = (
    f'{HEAD}<w:ftr {WORD}><w:p><w:pPr><w:pStyle w:val="Footer"/><w:jc w:val="center"/></w:pPr>'
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> PAGE </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r>'
    '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:ftr>'
)


def content_types(pictures: set[str]) -> str:
    parts = {"document": "document.main", "styles": "styles", "numbering": "numbering", "settings": "settings"}
    overrides = [
        f'<Override PartName="/word/{name}.xml" ContentType="{WORD_TYPES}.{kind}+xml"/>' for name, kind in parts.items()
    ]
    defaults = [f'<Default Extension="{kind}" ContentType="image/{kind}"/>' for kind in sorted(pictures)]
    return (
        f'{HEAD}<Types xmlns="{SCHEMAS}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{"".join(defaults)}{"".join(overrides)}'
        f'<Override PartName="/word/footer1.xml" ContentType="{WORD_TYPES}.footer+xml"/>'
        '<Override PartName="/docProps/core.xml" '
        'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
    )


def core_properties(meta: dict[str, str], now: datetime) -> str:
    stamp = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    return (
        f'{HEAD}<cp:coreProperties xmlns:cp="{SCHEMAS}/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(meta.get('title', ''))}</dc:title><dc:creator>{escape(meta.get('author', ''))}</dc:creator>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{stamp}</dcterms:created>'
        f'<dcterms:modified xsi:type="dcterms:W3CDTF">{stamp}</dcterms:modified></cp:coreProperties>'
    )


def document_links(addresses: list[str], pictures: list[str]) -> str:
    """`addresses` are quoted for XML; `pictures` are the kinds of the pictures in their order."""
    parts = [("Styles", "styles"), ("Numbering", "numbering"), ("Settings", "settings"), ("Footer", "footer")]
    lines = [
        f'<Relationship Id="rId{name}" Type="{LINKS}/{kind}" Target="{"footer1" if kind == "footer" else kind}.xml"/>'
        for name, kind in parts
    ]
    for index, address in enumerate(addresses, 1):
        lines.append(
            f'<Relationship Id="rIdLink{index}" Type="{LINKS}/hyperlink" Target={address} TargetMode="External"/>'
        )
    for index, kind in enumerate(pictures, 1):
        target = f"media/picture{index}.{kind}"
        lines.append(f'<Relationship Id="rIdPicture{index}" Type="{LINKS}/image" Target="{target}"/>')
    return f'{HEAD}<Relationships xmlns="{SCHEMAS}/package/2006/relationships">{"".join(lines)}</Relationships>'


def document_xml(content: str, page: Page) -> str:
    margin = " ".join(f'w:{side}="{page.margin}"' for side in ("top", "right", "bottom", "left"))
    return (
        f'{HEAD}<w:document {WORD} xmlns:r="{LINKS}" xmlns:wp="{SCHEMAS}/drawingml/2006/wordprocessingDrawing" '
        f'xmlns:a="{SCHEMAS}/drawingml/2006/main" xmlns:pic="{SCHEMAS}/drawingml/2006/picture"><w:body>{content}'
        '<w:sectPr><w:footerReference w:type="default" r:id="rIdFooter"/>'
        f'<w:pgSz w:w="{page.width}" w:h="{page.height}"/>'
        f'<w:pgMar {margin} w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>'
    )


def drawing_xml(number: int, alt: str, size: tuple[int, int]) -> str:
    """A run with the picture of that number; `size` is in EMU."""
    width, height = size
    return (
        f'<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="{width}" cy="{height}"/>'
        f'<wp:docPr id="{number}" name="Picture {number}" descr={quoteattr(alt)}/>'
        f'<a:graphic><a:graphicData uri="{SCHEMAS}/drawingml/2006/picture"><pic:pic><pic:nvPicPr>'
        f'<pic:cNvPr id="{number}" name="Picture {number}" descr={quoteattr(alt)}/><pic:cNvPicPr/></pic:nvPicPr>'
        f'<pic:blipFill><a:blip r:embed="rIdPicture{number}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>'
        f'<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r>"
    )


def contents_xml(headings: list[tuple[int, str]]) -> str:
    """A table of contents of three levels: links now; Word adds page numbers when the reader updates it."""
    shown = [(index, level, text) for index, (level, text) in enumerate(headings, 1) if level <= 3]
    begin = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> TOC \\o "1-3" \\h \\z '
        '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    )
    lines = []
    for place, (index, level, text) in enumerate(shown):
        link = (
            f'<w:hyperlink w:anchor="_Toc{index:08d}"><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
            "</w:hyperlink>"
        )
        look = f'<w:pPr><w:pStyle w:val="TOC{level}"/></w:pPr>'
        lines.append(f"<w:p>{look}{begin if place == 0 else ''}{link}</w:p>")
    if not lines:
        return ""
    return f'{"".join(lines)}<w:p><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'


def numbering_xml(lists: list[ItemList]) -> str:
    bullets = "".join(_level(level, "bullet", "•◦▪"[level % 3]) for level in range(LEVELS))
    kinds = ("decimal", "lowerLetter", "lowerRoman")
    numbers = "".join(_level(level, kinds[level % 3], f"%{level + 1}.") for level in range(LEVELS))
    abstract = (
        f'<w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="hybridMultilevel"/>{bullets}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="1"><w:multiLevelType w:val="hybridMultilevel"/>{numbers}</w:abstractNum>'
    )
    used = []
    for index, it in enumerate(lists, 1):
        start = f'<w:lvlOverride w:ilvl="{it.level}"><w:startOverride w:val="{it.start}"/></w:lvlOverride>'
        kind = '<w:abstractNumId w:val="0"/>' if it.start is None else f'<w:abstractNumId w:val="1"/>{start}'
        used.append(f'<w:num w:numId="{index}">{kind}</w:num>')
    return f"{HEAD}<w:numbering {WORD}>{abstract}{''.join(used)}</w:numbering>"


def _level(level: int, kind: str, text: str) -> str:
    return (
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/>'
        f'<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="{425 * (level + 1)}" w:hanging="425"/></w:pPr></w:lvl>'
    )


def _style(name: str, shown: str, paragraph: str = "", words: str = "", based: str = "Normal") -> str:
    look = (f"<w:pPr>{paragraph}</w:pPr>" if paragraph else "") + (f"<w:rPr>{words}</w:rPr>" if words else "")
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{shown}"/><w:basedOn w:val="{based}"/>'
        f"<w:qFormat/>{look}</w:style>"
    )


def _spacing(before: int, after: int) -> str:
    return f'<w:spacing w:before="{before}" w:after="{after}"/>'


def _words(size: int, more: str = "") -> str:
    return f'{more}<w:sz w:val="{size}"/><w:szCs w:val="{size}"/>'


CODE_FONT = '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas"/>'
SHADE = '<w:shd w:val="clear" w:color="auto" w:fill="F2F4F7"/>'


def styles_xml(language: str) -> str:
    bold = f'<w:b/><w:color w:val="{ACCENT}"/>'
    line = '<w:pBdr><w:{side} w:val="single" w:sz="{size}" w:space="{space}" w:color="{color}"/></w:pBdr>'
    headings = [
        _style(
            f"Heading{level}",
            f"heading {level}",
            f'<w:keepNext/><w:keepLines/>{_spacing(before, 120)}<w:outlineLvl w:val="{level - 1}"/>',
            _words(size, bold),
        )
        for level, (size, before) in enumerate([(34, 400), (28, 320), (24, 280), (22, 240), (22, 240), (22, 240)], 1)
    ]
    others = [
        _style("BodyText", "Body Text", _spacing(0, 140)),
        _style("Title", "Title", _spacing(0, 80), _words(52, bold)),
        _style("Subtitle", "Subtitle", _spacing(0, 400), _words(24, '<w:color w:val="5B6675"/>')),
        _style("ListParagraph", "List Paragraph", f"{_spacing(0, 60)}"),
        _style(
            "Quote",
            "Quote",
            line.format(side="left", size=18, space=10, color="B8C4D2") + _spacing(60, 140) + '<w:ind w:left="425"/>',
            '<w:i/><w:color w:val="44505E"/>',
        ),
        _style(
            "CodeBlock",
            "Code Block",
            f'{SHADE}<w:spacing w:before="60" w:after="180" w:line="250" w:lineRule="auto"/><w:ind w:left="113"/>',
            f"{CODE_FONT}{_words(18)}",
        ),
        _style("TableText", "Table Text", _spacing(40, 40), _words(20)),
        _style("Figure", "Figure", f'<w:keepNext/>{_spacing(120, 60)}<w:jc w:val="center"/>'),
        _style(
            "Caption",
            "caption",
            f'{_spacing(0, 200)}<w:jc w:val="center"/>',
            _words(19, '<w:i/><w:color w:val="5B6675"/>'),
        ),
        _style("Rule", "Rule", line.format(side="bottom", size=6, space=1, color="B8C4D2") + _spacing(0, 200)),
        _style("Footer", "footer", "", _words(18, '<w:color w:val="5B6675"/>')),
        *[_style(f"TOC{n}", f"toc {n}", f'{_spacing(0, 40)}<w:ind w:left="{(n - 1) * 284}"/>') for n in (1, 2, 3)],
    ]
    font = '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:eastAsia="Calibri" w:cs="Calibri"/>'
    return (
        f"{HEAD}<w:styles {WORD}><w:docDefaults><w:rPrDefault><w:rPr>{font}{_words(22)}"
        f"<w:lang w:val={quoteattr(language)}/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>"
        '<w:spacing w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>'
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>'
        f"{''.join(headings)}{''.join(others)}"
        '<w:style w:type="character" w:styleId="CodeWords"><w:name w:val="Code Words"/>'
        f"<w:rPr>{CODE_FONT}{_words(20)}{SHADE}</w:rPr></w:style>"
        '<w:style w:type="character" w:styleId="Hyperlink"><w:name w:val="Hyperlink"/>'
        '<w:rPr><w:color w:val="0563C1"/><w:u w:val="single"/></w:rPr></w:style>'
        f"{_table_style()}</w:styles>"
    )


def _table_style() -> str:
    edges = "".join(
        f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="B8C4D2"/>'
        for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    return (
        '<w:style w:type="table" w:styleId="ReportTable"><w:name w:val="Report Table"/><w:tblPr>'
        f"<w:tblBorders>{edges}</w:tblBorders><w:tblCellMar>"
        '<w:left w:w="100" w:type="dxa"/><w:right w:w="100" w:type="dxa"/></w:tblCellMar></w:tblPr>'
        '<w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr><w:tcPr>'
        '<w:shd w:val="clear" w:color="auto" w:fill="E3EAF2"/></w:tcPr></w:tblStylePr></w:style>'
    )
