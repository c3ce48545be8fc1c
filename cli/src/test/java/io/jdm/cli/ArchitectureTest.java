package io.jdm.cli;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The walls of the house, as DESIGN.md section 1 draws them. */
@AnalyzeClasses(packages = "io.jdm", importOptions = ArchitectureTest.MainClassesOnly.class)
final class ArchitectureTest {
  /** Leaves out test classes, also those in another module's test jar. */
  static final class MainClassesOnly implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/") && !location.contains("-tests.jar");
    }
  }

  @ArchTest
  static final ArchRule block_devices_depend_on_the_jdk_alone =
      noClasses()
          .that()
          .resideInAnyPackage("io.jdm.blockdev..", "io.jdm.mapper..", "io.jdm.nbd..")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages(
              "java..",
              "javax.net.ssl..",
              "javax.security.auth..",
              "io.jdm.blockdev..",
              "io.jdm.mapper..",
              "io.jdm.nbd..");

  @ArchTest
  static final ArchRule block_devices_know_no_mapper =
      noClasses()
          .that()
          .resideInAPackage("io.jdm.blockdev..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.jdm.mapper..", "io.jdm.nbd..");

  @ArchTest
  static final ArchRule the_wire_knows_no_channels_and_no_threads =
      noClasses()
          .that()
          .resideInAPackage("io.jdm.nbd")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "java.nio.channels..", "java.util.concurrent..", "javax.net..", "io.jdm.nbd.*..")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("java\\.net\\..*Socket.*|java\\.lang\\.Thread");

  @ArchTest
  static final ArchRule crypto_knows_no_command_line =
      noClasses()
          .that()
          .resideInAnyPackage("io.jdm.crypt..", "io.jdm.volume..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.jdm.cli..");

  @ArchTest
  static final ArchRule the_data_path_knows_no_volumes =
      noClasses()
          .that()
          .resideInAPackage("io.jdm.crypt..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.jdm.volume..");

  @ArchTest
  static final ArchRule volume_formats_do_not_know_each_other =
      slices().matching("io.jdm.volume.(*)..").should().notDependOnEachOther();

  @ArchTest
  static final ArchRule iv_modes_know_no_engine =
      noClasses()
          .that()
          .resideInAPackage("io.jdm.crypt.iv..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.jdm.crypt.engine..");

  @ArchTest
  static final ArchRule engines_know_no_iv_mode =
      noClasses()
          .that()
          .resideInAPackage("io.jdm.crypt.engine..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.jdm.crypt.iv..");

  @ArchTest
  static final ArchRule ciphers_and_providers_live_in_engines =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.jdm.crypt.engine..", "io.jdm.crypt.kdf..")
          .should()
          .dependOnClassesThat(
              com.tngtech.archunit.base.DescribedPredicate.describe(
                  "are ciphers or providers of others",
                  c ->
                      c.getName().equals("javax.crypto.Cipher")
                          || c.getPackageName().startsWith("org.conscrypt")
                          || c.getPackageName().startsWith("org.bouncycastle.crypto.engines")
                          || c.getPackageName().startsWith("com.amazon.corretto")));

  @ArchTest
  static final ArchRule only_the_command_line_uses_picocli =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.jdm.cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("picocli..");

  @ArchTest
  static final ArchRule only_the_command_line_exits =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.jdm.cli..")
          .should()
          .callMethodWhere(target(owner(name("java.lang.System"))).and(target(name("exit"))));

  @ArchTest
  static final ArchRule only_the_command_line_prints =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.jdm.cli..")
          .should()
          .accessField(System.class, "out")
          .orShould()
          .accessField(System.class, "err");

  @ArchTest
  static final ArchRule providers_are_never_installed_globally =
      noClasses()
          .should()
          .callMethod(java.security.Security.class, "addProvider", java.security.Provider.class)
          .orShould()
          .callMethod(
              java.security.Security.class,
              "insertProviderAt",
              java.security.Provider.class,
              int.class);

  @ArchTest
  static final ArchRule packages_have_no_cycles =
      slices().matching("io.jdm.(**)").should().beFreeOfCycles();
}
