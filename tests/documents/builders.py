"""Small PDF and Word files made by hand, each with the fault a test is about."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from typing import Any

import pypdf

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_REL = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)

type Line = tuple[float, float, str] | tuple[float, float, str, float]


def page(lines: Iterable[Line], *, size: float = 11, rotate: int = 0, image: bool = False) -> dict[str, Any]:
    """A page of ``lines`` (x, y, text, size), perhaps with a picture on it."""
    return {"lines": list(lines), "size": size, "rotate": rotate, "image": image}


def pdf(*pages: dict[str, Any], title: str = "") -> bytes:
    """A PDF. Latin text is in Helvetica (bold for sizes above 13), Chinese in a font that is not embedded."""
    objects: list[bytes] = [b"", b""]

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    latin = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    bold = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
    cid = add(
        b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> >>"
    )
    chinese = add(
        b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H "
        b"/DescendantFonts [%d 0 R] >>" % cid
    )
    picture = add(
        b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
        b"/BitsPerComponent 8 /Length 1 >>\nstream\n\x80\nendstream"
    )
    kids = []
    for each in pages:
        content = _content(each)
        stream = add(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        kids.append(
            add(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate %d /Contents %d 0 R "
                b"/Resources << /Font << /F1 %d 0 R /F2 %d 0 R /F3 %d 0 R >> /XObject << /Im %d 0 R >> >> >>"
                % (each["rotate"], stream, latin, bold, chinese, picture)
            )
        )
    info = add(b"<< /Title (%s) >>" % title.encode("latin-1"))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids),
        b" ".join(b"%d 0 R" % kid for kid in kids),
    )
    return _written(objects, info)


def _content(each: dict[str, Any]) -> bytes:
    parts = [b"q 400 0 0 500 90 200 cm /Im Do Q"] if each["image"] else []
    for x, y, text, *size in each["lines"]:
        points = size[0] if size else each["size"]
        try:
            shown = b"(%s)" % text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(
                b")", b"\\)"
            )
            font = b"F2" if points > 13 else b"F1"
        except UnicodeEncodeError:
            shown, font = b"<%s>" % text.encode("utf-16-be").hex().encode(), b"F3"
        parts.append(b"BT /%s %g Tf 1 0 0 1 %g %g Tm %s Tj ET" % (font, points, x, y, shown))
    return b"\n".join(parts)


def _written(objects: list[bytes], info: int) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n")
    places = []
    for n, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (n, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(
        b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, info, start)
    )
    return out.getvalue()


def locked(data: bytes, password: str) -> bytes:
    """The same PDF, encrypted for the user."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(password, owner_password="owner", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def prose(text: str, x: float, y: float, width: int = 38, pitch: float = 14) -> list[Line]:
    """``text`` as lines of at most ``width`` letters, going down from (x, y)."""
    lines: list[Line] = []
    line = ""
    for word in text.split():
        if len(line) + len(word) + 1 > width:
            lines.append((x, y - pitch * len(lines), line))
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, (x, y - pitch * len(lines), line)]


def p(text: str, properties: str = "", run: str = "") -> str:
    """A Word paragraph."""
    before = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    return f'<w:p>{before}<w:r>{run}<w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def numbered(text: str, list_id: int = 1, level: int = 0) -> str:
    """A paragraph in a list."""
    return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>')


def cell(content: str, properties: str = "") -> str:
    """A table cell; plain text becomes a paragraph."""
    inside = content if content.startswith("<") else p(content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def table(*rows: Iterable[str]) -> str:
    """A table of rows of cells."""
    return "<w:tbl>" + "".join(f"<w:tr>{''.join(row)}</w:tr>" for row in rows) + "</w:tbl>"


def docx(body: str, *, strict: bool = False, links: Iterable[tuple[str, str]] = (), **parts: str) -> bytes:
    """A Word file with that body. ``parts`` are further parts by name (``footnotes=…``), related to the
    body; ``links`` are ids and addresses of hyperlinks."""
    rels = [(f"r{n}", name.rstrip("0123456789"), f"{name}.xml", "") for n, name in enumerate(parts, 1)]
    rels += [(id, "hyperlink", target, ' TargetMode="External"') for id, target in links]
    relations = "".join(
        f'<Relationship Id="{id}" Type="{REL}/{kind}" Target="{to}"{mode}/>' for id, kind, to, mode in rels
    )
    files = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE_REL}"><Relationship Id="r1" '
        f'Type="{REL}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE_REL}">{relations}</Relationships>',
        "word/document.xml": _root("document", f"<w:body>{body}</w:body>"),
        **{f"word/{name}.xml": _root(name, xml) for name, xml in parts.items()},
    }
    if strict:
        files = {name: _strict(xml) for name, xml in files.items()}
    return zipped({name: xml.encode() for name, xml in files.items()})


def _root(name: str, xml: str) -> str:
    tag = {"header": "hdr", "footer": "ftr"}.get(name.rstrip("0123456789"), name)
    return f'<w:{tag} xmlns:w="{W}" xmlns:m="{M}" xmlns:r="{REL}">{xml}</w:{tag}>'


def _strict(xml: str) -> str:
    new = "http://purl.oclc.org/ooxml"
    xml = xml.replace(W, f"{new}/wordprocessingml/main").replace(M, f"{new}/officeDocument/math")
    return xml.replace(REL, f"{new}/officeDocument/relationships")


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip of ``files``."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()
