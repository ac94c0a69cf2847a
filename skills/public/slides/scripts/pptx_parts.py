"""The parts of a .pptx package that are the same in every deck: theme, master, layouts, links."""

from __future__ import annotations

from xml.sax.saxutils import escape

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
SCHEMAS = "http://schemas.openxmlformats.org"
LINKS = f"{SCHEMAS}/officeDocument/2006/relationships"
NAMES = f'xmlns:a="{SCHEMAS}/drawingml/2006/main" xmlns:r="{LINKS}" xmlns:p="{SCHEMAS}/presentationml/2006/main"'
TYPES = "application/vnd.openxmlformats-officedocument"

#: Slides of 16:9, in EMU (12,700 are a point).
WIDTH, HEIGHT = 12_192_000, 6_858_000
Box = tuple[int, int, int, int]
TITLE_BOX: Box = (609_600, 365_760, 10_972_800, 914_400)
BODY_BOX: Box = (609_600, 1_463_040, 10_972_800, 4_572_000)
NUMBER_BOX: Box = (10_668_000, 6_309_360, 914_400, 320_040)
COVER_BOXES: tuple[Box, Box] = ((914_400, 2_011_680, 10_363_200, 1_371_600), (914_400, 3_474_720, 10_363_200, 914_400))

#: What a layout is for, by its file.
LAYOUTS = {"cover": 1, "section": 2, "content": 3}


def frame(box: Box) -> str:
    left, top, width, height = box
    return f'<a:xfrm><a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'


def placeholder(number: int, kind: str, box: Box | None, content: str) -> str:
    """A text that the master gives its look. `box` None: where the layout has it."""
    place = frame(box) if box else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="Text {number}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr>'
        f"<p:nvPr><p:ph {kind}/></p:nvPr></p:nvSpPr><p:spPr>{place}</p:spPr>"
        f"<p:txBody><a:bodyPr><a:normAutofit/></a:bodyPr><a:lstStyle/>{content}</p:txBody></p:sp>"
    )


def shape_tree(shapes: str) -> str:
    return (
        '<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>'
        '<a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>'
        f"{shapes}</p:spTree>"
    )


def slide_number(number: int) -> str:
    field = '<a:fld id="{5C1B2F0E-7C2E-4B7B-9A52-0D2C6C6A3A11}" type="slidenum"><a:rPr/><a:t>1</a:t></a:fld>'
    return placeholder(number, 'type="sldNum" sz="quarter" idx="12"', None, f"<a:p>{field}</a:p>")


def relationships(links: list[tuple[str, str]]) -> str:
    """Kind and target of each link; their ids are rId1, rId2, and so on."""
    lines = []
    for index, (kind, target) in enumerate(links, 1):
        outside = ' TargetMode="External"' if kind == "hyperlink" else ""
        lines.append(f'<Relationship Id="rId{index}" Type="{LINKS}/{kind}" Target="{escape(target)}"{outside}/>')
    return f'{HEAD}<Relationships xmlns="{SCHEMAS}/package/2006/relationships">{"".join(lines)}</Relationships>'


def package_links() -> str:
    return (
        f'{HEAD}<Relationships xmlns="{SCHEMAS}/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{LINKS}/officeDocument" Target="ppt/presentation.xml"/>'
        f'<Relationship Id="rId2" Type="{SCHEMAS}/package/2006/relationships/metadata/core-properties" '
        'Target="docProps/core.xml"/></Relationships>'
    )


def core_properties(title: str, author: str, stamp: str) -> str:
    return (
        f'{HEAD}<cp:coreProperties xmlns:cp="{SCHEMAS}/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>{escape(title)}</dc:title>'
        f'<dc:creator>{escape(author)}</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">{stamp}'
        "</dcterms:created></cp:coreProperties>"
    )


def content_types(slides: int, noted: list[int], pictures: set[str]) -> str:
    """`noted` are the numbers of the slides that have notes."""
    part = '<Override PartName="/{}" ContentType="{}+xml"/>'
    show = f"{TYPES}.presentationml"
    parts = [
        ("ppt/presentation.xml", f"{show}.presentation.main"),
        ("ppt/slideMasters/slideMaster1.xml", f"{show}.slideMaster"),
        ("ppt/theme/theme1.xml", f"{TYPES}.theme"),
        ("docProps/core.xml", "application/vnd.openxmlformats-package.core-properties"),
        *[(f"ppt/slideLayouts/slideLayout{n}.xml", f"{show}.slideLayout") for n in LAYOUTS.values()],
        *[(f"ppt/slides/slide{n}.xml", f"{show}.slide") for n in range(1, slides + 1)],
        *[(f"ppt/notesSlides/notesSlide{n}.xml", f"{show}.notesSlide") for n in noted],
    ]
    if noted:
        parts += [
            ("ppt/notesMasters/notesMaster1.xml", f"{show}.notesMaster"),
            ("ppt/theme/theme2.xml", f"{TYPES}.theme"),
        ]
    defaults = "".join(f'<Default Extension="{kind}" ContentType="image/{kind}"/>' for kind in sorted(pictures))
    return (
        f'{HEAD}<Types xmlns="{SCHEMAS}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{defaults}'
        f"{''.join(part.format(name, kind) for name, kind in parts)}</Types>"
    )


def presentation(slides: int, has_notes: bool) -> str:
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="rId{1 + n}"/>' for n in range(1, slides + 1))
    notes = f'<p:notesMasterIdLst><p:notesMasterId r:id="rId{slides + 2}"/></p:notesMasterIdLst>' if has_notes else ""
    return (
        f'{HEAD}<p:presentation {NAMES}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/>'
        f"</p:sldMasterIdLst>{notes}<p:sldIdLst>{ids}</p:sldIdLst>"
        f'<p:sldSz cx="{WIDTH}" cy="{HEIGHT}"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>'
    )


def theme(accent: str, is_dark: bool) -> str:
    text, back, soft, grey = (
        ("FFFFFF", "14181F", "2A313C", "AAB4C0") if is_dark else ("1D232B", "FFFFFF", "EEF2F6", "5B6675")
    )
    colours = {
        **{"dk1": text, "lt1": back, "dk2": grey, "lt2": soft, "accent1": accent, "accent2": "2A9D8F"},
        **{"accent3": "E9A23B", "accent4": "C8553D", "accent5": "7A5195", "accent6": "6C757D"},
        **{"hlink": accent, "folHlink": grey},
    }
    scheme = "".join(f'<a:{name}><a:srgbClr val="{value}"/></a:{name}>' for name, value in colours.items())
    fonts = '<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>'
    fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    edge = f'<a:ln w="9525">{fill}</a:ln>'
    effect = "<a:effectStyle><a:effectLst/></a:effectStyle>"
    return (
        f'{HEAD}<a:theme xmlns:a="{SCHEMAS}/drawingml/2006/main" name="Deck"><a:themeElements>'
        f'<a:clrScheme name="Deck">{scheme}</a:clrScheme><a:fontScheme name="Deck"><a:majorFont>{fonts}</a:majorFont>'
        f'<a:minorFont>{fonts}</a:minorFont></a:fontScheme><a:fmtScheme name="Deck"><a:fillStyleLst>{fill * 3}'
        f"</a:fillStyleLst><a:lnStyleLst>{edge * 3}</a:lnStyleLst><a:effectStyleLst>{effect * 3}</a:effectStyleLst>"
        f"<a:bgFillStyleLst>{fill * 3}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>"
    )


COLOUR_MAP = (
    '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" '
    'accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
)
BACKGROUND = '<p:bg><p:bgPr><a:solidFill><a:schemeClr val="{}"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>'
SAMPLE = "<a:p><a:r><a:rPr/><a:t>Text</a:t></a:r></a:p>"


def _ink(name: str) -> str:
    return f'<a:solidFill><a:schemeClr val="{name}"/></a:solidFill><a:latin typeface="+mn-lt"/>'


def master() -> str:
    levels = []
    for level, (size, mark) in enumerate([(2400, "•"), (2000, "–"), (1800, "•"), (1600, "–")], 1):
        left = 342_900 * level
        levels.append(
            f'<a:lvl{level}pPr marL="{left}" indent="-342900"><a:spcBef><a:spcPts val="700"/></a:spcBef>'
            f'<a:buFont typeface="Arial"/><a:buChar char="{mark}"/><a:defRPr sz="{size}">{_ink("tx1")}</a:defRPr>'
            f"</a:lvl{level}pPr>"
        )
    number = placeholder(4, 'type="sldNum" sz="quarter" idx="12"', NUMBER_BOX, SAMPLE).replace(
        "<a:lstStyle/>",
        f'<a:lstStyle><a:lvl1pPr algn="r"><a:defRPr sz="1200">{_ink("tx2")}</a:defRPr></a:lvl1pPr></a:lstStyle>',
    )
    shapes = placeholder(2, 'type="title"', TITLE_BOX, SAMPLE).replace("<a:bodyPr>", '<a:bodyPr anchor="b">')
    shapes += placeholder(3, 'type="body" idx="1"', BODY_BOX, SAMPLE) + number
    layouts = "".join(f'<p:sldLayoutId id="{2_147_483_648 + n}" r:id="rId{n}"/>' for n in LAYOUTS.values())
    return (
        f"{HEAD}<p:sldMaster {NAMES}><p:cSld>{BACKGROUND.format('bg1')}{shape_tree(shapes)}</p:cSld>{COLOUR_MAP}"
        f"<p:sldLayoutIdLst>{layouts}</p:sldLayoutIdLst><p:txStyles><p:titleStyle><a:lvl1pPr>"
        f'<a:defRPr sz="3200" b="1">{_ink("accent1")}</a:defRPr></a:lvl1pPr></p:titleStyle>'
        f'<p:bodyStyle>{"".join(levels)}</p:bodyStyle><p:otherStyle><a:lvl1pPr><a:defRPr sz="1800"/></a:lvl1pPr>'
        "</p:otherStyle></p:txStyles></p:sldMaster>"
    )


def layout(name: str) -> str:
    if name == "content":
        shapes = placeholder(2, 'type="title"', None, SAMPLE) + placeholder(3, 'type="body" idx="1"', None, SAMPLE)
        shapes += slide_number(4)
        return _layout("obj", "Title and content", "", shapes)
    size, ink = ("4400", "bg1") if name == "cover" else ("3600", "bg1")
    kinds = (
        ('type="ctrTitle"', 'type="subTitle" idx="1"') if name == "cover" else ('type="title"', 'type="body" idx="1"')
    )
    words = '<a:buNone/><a:defRPr sz="{}" b="{}">{}</a:defRPr>'
    look = f'<a:lstStyle><a:lvl1pPr marL="0" indent="0">{words}</a:lvl1pPr></a:lstStyle>'
    title = placeholder(2, kinds[0], COVER_BOXES[0], SAMPLE).replace("<a:lstStyle/>", look.format(size, 1, _ink(ink)))
    line = placeholder(3, kinds[1], COVER_BOXES[1], SAMPLE).replace("<a:lstStyle/>", look.format(2000, 0, _ink(ink)))
    title = title.replace("<a:bodyPr>", '<a:bodyPr anchor="b">')
    kind, shown = ("title", "Cover") if name == "cover" else ("secHead", "Section")
    return _layout(kind, shown, BACKGROUND.format("accent1"), title + line)


def _layout(kind: str, name: str, background: str, shapes: str) -> str:
    return (
        f'{HEAD}<p:sldLayout {NAMES} type="{kind}" preserve="1"><p:cSld name="{name}">{background}{shape_tree(shapes)}'
        "</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>"
    )


def notes_master() -> str:
    image = placeholder(2, 'type="sldImg" idx="2"', (685_800, 1_143_000, 5_486_400, 3_086_100), "<a:p/>")
    text = placeholder(3, 'type="body" idx="1"', (685_800, 4_400_550, 5_486_400, 3_600_450), SAMPLE)
    return f"{HEAD}<p:notesMaster {NAMES}><p:cSld>{shape_tree(image + text)}</p:cSld>{COLOUR_MAP}</p:notesMaster>"
