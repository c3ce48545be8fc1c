@echo off
rem Starts jdm with the flags that this Java wants. JAVA_HOME chooses the Java; JDM_JAVA_OPTS adds flags.
setlocal
set "home=%~dp0.."
if defined JAVA_HOME (set "java=%JAVA_HOME%\bin\java.exe") else (set "java=java.exe")
set version=
for /f tokens^=2^ delims^=^" %%v in ('""%java%" -version 2^>^&1"') do if not defined version set "version=%%v"
for /f "tokens=1 delims=." %%v in ("%version%") do set "version=%%v"
if not defined version (echo jdm: no Java found: install a JDK 17 or newer, or set JAVA_HOME 1>&2 & exit /b 1)
if %version% LSS 17 (echo jdm: jdm needs Java 17 or newer, not %version%; set JAVA_HOME 1>&2 & exit /b 1)
set "flags=-XX:+UseSerialGC -Xshare:auto -Djdk.nio.maxCachedBufferSize=1048576"
if %version% GEQ 24 set "flags=%flags% --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
"%java%" %flags% "-Djava.util.logging.config.file=%home%\conf\logging.properties" %JDM_JAVA_OPTS% -cp "%home%\lib\*" io.jdm.cli.Main %*
