"""What programs that are linked with libtracenest rely on, a line each: layouts of structs, values of enums, functions."""
import re

from tracenest._library import _declarations, ffi, lib

declarations = _declarations()
for name in re.findall(r"^\} (tracenest_\w+);", declarations, re.MULTILINE):
    kind = ffi.typeof(name)
    if kind.kind == "enum":
        for value, word in kind.elements.items():
            print(name, word, value)
    else:
        print(name, ffi.sizeof(kind))
        for member, field in kind.fields:
            print(name, member, field.offset, field.type.cname)
for name in re.findall(r"(tracenest_\w+)\(", declarations):
    print(ffi.typeof(getattr(lib, name)).cname.replace("(*)", " " + name, 1))
