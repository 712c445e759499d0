#!/usr/bin/env bash
# Checks the types of the Python scripts with mypy, which it installs from PyPI below .build. The rules are in mypy.ini.
#
# Annotations are demanded of the packages Scripts/storms and Scripts/cases. Scripts have none, and are checked as far
# as mypy infers types.
set -euo pipefail
# Here mypy finds the package by one path, whichever link a script uses.
cd "$(dirname "$0")"

# mypy and what it needs. All versions are fixed, so that the same code passes each time.
requirements=(
    mypy==2.4.1 mypy_extensions==1.2.0 typing_extensions==4.16.0 pathspec==1.1.1 librt==0.17.0 ast_serialize==0.13.1
)
place=../.build/check-python
digest=$({ echo "${requirements[@]}"; python3 --version; } | sha256sum | cut -c 1-12)
environment=$place/$digest
if [ ! -e "$environment/complete" ]; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps "${requirements[@]}"
    touch "$environment/complete"
fi

# check FOLDER FILE…: files of one program, with the folders in which it looks for modules.
check() {
    MYPYPATH=$1 "$environment/bin/mypy" --config-file ../mypy.ini --cache-dir "$place/cache" --no-error-summary "${@:2}" ||
        code=1
}

code=0 count=0
mapfile -t package < <(find storms cases -name '*.py' | sort)
for folder in . demo chaos ../Benchmarks/*/ ../Gateway/Benchmarks/*/; do
    # Programs without an ending are called __main__ by mypy, so each is checked by itself.
    mapfile -t modules < <(find "$folder" -maxdepth 1 -type f -name '*.py' | sort)
    mapfile -t programs < <(
        find "$folder" -maxdepth 1 -type f ! -name '*.*' -exec grep -lE '^#!.*python' {} + | sort)
    [ "$folder" != . ] || modules+=("${package[@]}")
    [ ${#modules[@]} = 0 ] || check "$folder" "${modules[@]}"
    for program in "${programs[@]}"; do check "$folder" "$program"; done
    count=$((count + ${#modules[@]} + ${#programs[@]}))
done
[ $code = 0 ] || exit 1
echo "The types of $count Python files fit together."
