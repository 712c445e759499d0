"""Programs: bundles and .desktop files."""

from cases.bench import Bench, case, expect


@case("G8")
def wrong_type(bench: Bench) -> None:
    result = bench.install("bundles/G8dict.app")
    expect(result.code == 0 and "BGTaskSchedulerPermittedIdentifiers" in result.output, result.output)


@case("H7")
def shared_schemes(bench: Bench) -> None:
    for path in ("bundles/H7http.app", "bundles/org.example.http.desktop"):
        result = bench.install(path)
        expect(result.code == 0, f"{path}: {result.output}")
    system = bench.up()
    expect(system.run("open", "https://example.org/").code == 1, "an app took https silently")
    system.must("default", "https", "org.example.http")
    system.must("open", "https://example.org/")
    expect(system.app("org.example.http")["state"] == "active", "the app that was chosen is not opened")


@case("H8")
def empty_scheme(bench: Bench) -> None:
    result = bench.install("bundles/H8empty.app")
    expect(result.code == 0, result.output)


@case("H9")
def underscore(bench: Bench) -> None:
    result = bench.install("bundles/joplin-desktop_joplin-desktop.desktop")
    expect(result.code == 0 and "joplin-desktop_joplin-desktop" in result.output, result.output)


@case("H10")
def field_codes(bench: Bench) -> None:
    keys = "Type=Application\nName=Two Words\nIcon=case\nTerminal=true\nExec=printf %%s|\\n %i %c %k\n"
    system = bench.up()
    path = bench.write("org.example.codes.desktop", "[Desktop Entry]\n" + keys)
    system.must("install", path)
    system.run("open", "org.example.codes")
    wanted = ["--icon|", "case|", "Two Words|", path + "|"]
    found = bench.output("org.example.codes", wanted[-1])
    expect(all(line in found for line in wanted), found)


@case("N1")
def many_types(bench: Bench) -> None:
    types = "".join(f"audio/x-{number};" for number in range(200))
    entry = f"[Desktop Entry]\nType=Application\nName=Player\nExec=/bin/sleep 1000\nMimeType={types}\n"
    result = bench.up().run("install", bench.write("mpv.desktop", entry))
    expect(result.code == 0, result.output)
